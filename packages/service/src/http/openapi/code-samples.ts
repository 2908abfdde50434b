import type { CodeSample } from './conventions.js';

/** Code by the names of operations. Generated from the samples of the SDKs: npm run generate:openapi. */
export const codeSamples: Readonly<Record<string, readonly CodeSample[]>> = {
  "setup": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat, KaratError, mintApiKey, verifyWebhook } from '@karat/sdk';\n\nimport { readFileSync } from 'node:fs';\nimport { createServer } from 'node:http';\nimport type { AddressInfo } from 'node:net';\nimport { text } from 'node:stream/consumers';\nimport { Karat, KaratError, mintApiKey, verifyWebhook } from '@karat/sdk';\nimport { createKeyPairSignerFromBytes, signBytes } from '@solana/kit';\n\nconst folder = process.env.KARAT_STATE_DIR || '.karat';\nconst read = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));\nconst signerOf = (file: string) => createKeyPairSignerFromBytes(Uint8Array.from(read(file)));\nconst { partner_api_url: baseUrl, partners } = read('sandbox.json');\nconst partnerId: string = partners[0].partner_id;\nconst partner = await signerOf('keys/acme-wallet.json');\nconst customer = await signerOf(process.argv[2] ?? 'keys/spare-3.json');"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat, KaratError, mint_api_key, verify_webhook\n\nimport json\nimport os\nimport sys\nfrom decimal import Decimal\nfrom http.server import BaseHTTPRequestHandler, HTTPServer\nfrom pathlib import Path\nfrom threading import Thread\n\nfrom solders.keypair import Keypair\n\nfrom karat import Karat, KaratError, mint_api_key, verify_webhook\n\n\nstate = Path(os.environ.get(\"KARAT_STATE_DIR\", \".karat\"))\nif not (state / \"sandbox.json\").exists():\n    sys.exit(f\"No sandbox runs on {state}: start one, or name its state folder in KARAT_STATE_DIR.\")\nsandbox = json.loads((state / \"sandbox.json\").read_text())\nbase_url = sandbox[\"partner_api_url\"]\npartner_id = sandbox[\"partners\"][0][\"partner_id\"]\ncustomer_file = sys.argv[1] if len(sys.argv) > 1 else \"keys/spare-2.json\"\npartner = Keypair.from_json((state / \"keys/acme-wallet.json\").read_text())\ncustomer = Keypair.from_json((state / customer_file).read_text())"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nimport (\n\t\"cmp\"\n\t\"context\"\n\t\"encoding/json\"\n\t\"errors\"\n\t\"fmt\"\n\t\"io\"\n\t\"log\"\n\t\"net\"\n\t\"net/http\"\n\t\"os\"\n\t\"path/filepath\"\n\t\"strings\"\n)\n\nimport karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\n\nvar (\n\tctx    = context.Background()\n\tfolder = cmp.Or(os.Getenv(\"KARAT_STATE_DIR\"), \".karat\")\n\n\tbaseURL, partnerID = readSandbox()\n\n\tpartner  = walletOf(\"keys/acme-wallet.json\")\n\tcustomer = walletOf(append(os.Args[1:], \"keys/spare-1.json\")[0])\n)\n\nfunc readSandbox() (baseURL, partnerID string) {\n\tvar sandbox struct {\n\t\tURL      string `json:\"partner_api_url\"`\n\t\tPartners []struct {\n\t\t\tID string `json:\"partner_id\"`\n\t\t} `json:\"partners\"`\n\t}\n\ttext, err := os.ReadFile(filepath.Join(folder, \"sandbox.json\"))\n\tif err != nil {\n\t\tlog.Fatalf(\"No sandbox runs on %s: start one, or name its state folder in KARAT_STATE_DIR.\", folder)\n\t}\n\tmust(0, json.Unmarshal(text, &sandbox))\n\treturn sandbox.URL, sandbox.Partners[0].ID\n}\n\nfunc walletOf(file string) *karat.Wallet {\n\treturn karat.NewWallet(must(karat.ReadKeyFile(filepath.Join(folder, file))))\n}\n\n// must returns the value of a call, and ends the program with its error.\nfunc must[Value any](value Value, err error) Value {\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\treturn value\n}"
    }
  ],
  "authentication": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat, mintApiKey } from '@karat/sdk';\n\n// Requests a challenge, has the partner's wallet sign it, and sends the signature.\nconst { api_key: apiKey, key_id } = await mintApiKey({\n  baseUrl,\n  partnerId,\n  walletAddress: partner.address,\n  keyName: 'guide',\n  signMessage: (message) => signBytes(partner.keyPair.privateKey, message),\n});\nconst karat = new Karat({ apiKey, baseUrl });\nconsole.log('key', key_id);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat, mint_api_key\n\n# Requests a challenge, has the partner's wallet sign it, and sends the signature.\nminted = mint_api_key(\n    base_url=base_url,\n    partner_id=partner_id,\n    wallet_address=str(partner.pubkey()),\n    key_name=\"guide\",\n    sign_message=partner.sign_message,\n)\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\nprint(\"key\", minted.key_id)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\n// Requests a challenge, has the partner's wallet sign it, and sends the signature.\noptions := karat.Options{BaseURL: baseURL}\nminted := must(karat.MintAPIKey(ctx, options, partnerID, \"guide\", partner))\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\nfmt.Println(\"key\", minted.KeyID)"
    }
  ],
  "createChallenge": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { mintApiKey } from '@karat/sdk';\n\n// Requests a challenge, has the partner's wallet sign it, and sends the signature.\nconst { api_key: apiKey, key_id } = await mintApiKey({\n  baseUrl,\n  partnerId,\n  walletAddress: partner.address,\n  keyName: 'guide',\n  signMessage: (message) => signBytes(partner.keyPair.privateKey, message),\n});"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import mint_api_key\n\n# Requests a challenge, has the partner's wallet sign it, and sends the signature.\nminted = mint_api_key(\n    base_url=base_url,\n    partner_id=partner_id,\n    wallet_address=str(partner.pubkey()),\n    key_name=\"guide\",\n    sign_message=partner.sign_message,\n)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\n// Requests a challenge, has the partner's wallet sign it, and sends the signature.\noptions := karat.Options{BaseURL: baseURL}\nminted := must(karat.MintAPIKey(ctx, options, partnerID, \"guide\", partner))"
    }
  ],
  "createApiKey": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { mintApiKey } from '@karat/sdk';\n\n// Requests a challenge, has the partner's wallet sign it, and sends the signature.\nconst { api_key: apiKey, key_id } = await mintApiKey({\n  baseUrl,\n  partnerId,\n  walletAddress: partner.address,\n  keyName: 'guide',\n  signMessage: (message) => signBytes(partner.keyPair.privateKey, message),\n});"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import mint_api_key\n\n# Requests a challenge, has the partner's wallet sign it, and sends the signature.\nminted = mint_api_key(\n    base_url=base_url,\n    partner_id=partner_id,\n    wallet_address=str(partner.pubkey()),\n    key_name=\"guide\",\n    sign_message=partner.sign_message,\n)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\n// Requests a challenge, has the partner's wallet sign it, and sends the signature.\noptions := karat.Options{BaseURL: baseURL}\nminted := must(karat.MintAPIKey(ctx, options, partnerID, \"guide\", partner))"
    }
  ],
  "listApiKeys": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { data: keys } = await karat.api.GET('/v1/partner/api-keys');\nconsole.log(keys?.api_keys[0]?.key_name, keys?.api_keys[0]?.status);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nkeys = karat.request(\"GET\", \"/v1/partner/api-keys\")[\"api_keys\"]\nprint(keys[0][\"key_name\"], keys[0][\"status\"])"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nvar keys karat.ListAPIKeysResult\nmust(0, client.Do(ctx, \"GET\", \"/v1/partner/api-keys\", nil, &keys))\nfmt.Println(keys.APIKeys[0].KeyName, keys.APIKeys[0].Status)"
    }
  ],
  "discovery": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { name, open_fee_bps } = await karat.me();\nconsole.log(name, open_fee_bps);\nconst { network, explorer_url_template } = await karat.network();\nconsole.log(network, explorer_url_template);\nfor (const country of await karat.countries.list()) {\n  if (country.denominations > 0) console.log(country.code, country.name);\n}"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nme = karat.me()\nprint(me.name, me.open_fee_bps)\nnetwork = karat.network()\nprint(network.network, network.explorer_url_template)\nfor country in karat.countries.list():\n    if country.denominations > 0:\n        print(country.code, country.name)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nme := must(client.Me(ctx))\nfmt.Println(me.Name, *me.OpenFeeBps)\nnetwork := must(client.Network(ctx))\nfmt.Println(network.Network, network.ExplorerURLTemplate)\nfor _, country := range must(client.Countries.List(ctx)) {\n\tif country.Denominations > 0 {\n\t\tfmt.Println(country.Code, country.Name)\n\t}\n}"
    }
  ],
  "getMe": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { name, open_fee_bps } = await karat.me();\nconsole.log(name, open_fee_bps);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nme = karat.me()\nprint(me.name, me.open_fee_bps)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nme := must(client.Me(ctx))\nfmt.Println(me.Name, *me.OpenFeeBps)"
    }
  ],
  "getNetwork": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { network, explorer_url_template } = await karat.network();\nconsole.log(network, explorer_url_template);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nnetwork = karat.network()\nprint(network.network, network.explorer_url_template)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nnetwork := must(client.Network(ctx))\nfmt.Println(network.Network, network.ExplorerURLTemplate)"
    }
  ],
  "listCountries": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nfor (const country of await karat.countries.list()) {\n  if (country.denominations > 0) console.log(country.code, country.name);\n}"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nfor country in karat.countries.list():\n    if country.denominations > 0:\n        print(country.code, country.name)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nfor _, country := range must(client.Countries.List(ctx)) {\n\tif country.Denominations > 0 {\n\t\tfmt.Println(country.Code, country.Name)\n\t}\n}"
    }
  ],
  "createUser": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { service_user_id } = await karat.users.create({\n  user_id: `customer-${customer.address}`,\n  wallet_address: customer.address,\n  kyc: {\n    country: 'PK',\n    full_name: 'Bilal Ahmed',\n    kyc_provider: 'by hand',\n    kyc_level: 'full',\n    kyc_verified_at: '2026-01-15T09:30:00+05:00',\n    kyc_data: { id_type: 'cnic', id_number: '42101-7654321-3' },\n  },\n});"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ncreated = karat.users.create(\n    user_id=f\"customer-{customer.pubkey()}\",\n    wallet_address=str(customer.pubkey()),\n    kyc={\n        \"country\": \"PK\",\n        \"full_name\": \"Bilal Ahmed\",\n        \"kyc_provider\": \"by hand\",\n        \"kyc_level\": \"full\",\n        \"kyc_verified_at\": \"2026-01-15T09:30:00+05:00\",\n        \"kyc_data\": {\"id_type\": \"cnic\", \"id_number\": \"42101-7654321-3\"},\n    },\n)\nservice_user_id = created.service_user_id"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nuser := must(client.Users.Create(ctx, karat.CreateUserRequest{\n\tUserID:        \"customer-\" + customer.Address(),\n\tWalletAddress: customer.Address(),\n\tKyc: karat.Kyc{\n\t\tCountry:       \"PK\",\n\t\tFullName:      \"Bilal Ahmed\",\n\t\tKycProvider:   \"by hand\",\n\t\tKycLevel:      \"full\",\n\t\tKycVerifiedAt: \"2026-01-15T09:30:00+05:00\",\n\t\tKycData:       map[string]any{\"id_type\": \"cnic\", \"id_number\": \"42101-7654321-3\"},\n\t},\n}))"
    }
  ],
  "getUser": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst user = await karat.users.get(service_user_id);\nconsole.log('user', user.status, user.kyc?.kyc_level);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nuser = karat.users.get(service_user_id)\nprint(\"user\", user.status, user.kyc and user.kyc.kyc_level)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nfound := must(client.Users.Get(ctx, user.ServiceUserID))\nfmt.Println(\"user\", found.Status, found.Kyc.KycLevel)"
    }
  ],
  "listUsers": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst [newest] = await karat.users.list({ status: 'active' }).take(1);\nconsole.log('newest', newest?.service_user_id === service_user_id);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nnewest = karat.users.list(status=\"active\").take(1)[0]\nprint(\"newest\", newest.service_user_id == service_user_id)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nactive := client.Users.List(ctx, karat.ListUsersParams{Status: karat.UserStatusActive})\nnewest := must(karat.Take(active, 1))[0]\nfmt.Println(\"newest\", newest.ServiceUserID == user.ServiceUserID)"
    }
  ],
  "getUserBalances": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { gold, usdc } = await karat.users.balances(service_user_id);\nconsole.log('balances', gold, usdc);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nbalances = karat.users.balances(service_user_id)\nprint(\"balances\", balances.gold, balances.usdc)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nbalances := must(client.Users.Balances(ctx, user.ServiceUserID))\nfmt.Println(\"balances\", balances.Gold, balances.Usdc)"
    }
  ],
  "prices": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { price_per_troy_oz, market } = await karat.prices.get();\nconsole.log('price', market, price_per_troy_oz);\nconst candles = await karat.prices.history({ interval: '1m' });\nconsole.log('close', candles.at(-1)?.close);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nprice = karat.prices.get()\nprint(\"price\", price.market, price.price_per_troy_oz)\ncandles = karat.prices.history(interval=\"1m\").all()\nprint(\"close\", candles[-1].close)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nprice := must(client.Prices.Get(ctx))\nfmt.Println(\"price\", price.Market, price.PricePerTroyOz)\nquery := karat.ListPriceHistoryParams{Interval: \"1m\"}\ncandles := must(client.Prices.History(ctx, query))\nfmt.Println(\"close\", candles[len(candles)-1].Close)"
    }
  ],
  "getPrice": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { price_per_troy_oz, market } = await karat.prices.get();\nconsole.log('price', market, price_per_troy_oz);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nprice = karat.prices.get()\nprint(\"price\", price.market, price.price_per_troy_oz)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nprice := must(client.Prices.Get(ctx))\nfmt.Println(\"price\", price.Market, price.PricePerTroyOz)"
    }
  ],
  "listPriceHistory": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst candles = await karat.prices.history({ interval: '1m' });\nconsole.log('close', candles.at(-1)?.close);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ncandles = karat.prices.history(interval=\"1m\").all()\nprint(\"close\", candles[-1].close)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nquery := karat.ListPriceHistoryParams{Interval: \"1m\"}\ncandles := must(client.Prices.History(ctx, query))\nfmt.Println(\"close\", candles[len(candles)-1].Close)"
    }
  ],
  "buy": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst bought = await karat.buys.execute({\n  service_user_id,\n  usdc_amount: 1000,\n  slippage_bps: 100,\n  signers: [partner, customer],\n});\nconsole.log(bought.status, bought.gold_amount, 'GOLD');"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nbought = karat.buys.execute(\n    service_user_id=service_user_id,\n    usdc_amount=1000,\n    slippage_bps=100,\n    signers=[partner, customer],\n)\nprint(bought.status, bought.gold_amount, \"GOLD\")"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nslippage := int64(100)\nbought := must(client.Buys.Execute(ctx, karat.QuoteBuyRequest{\n\tServiceUserID: user.ServiceUserID,\n\tUsdcAmount:    karat.MustDecimal(\"1000\"),\n\tSlippageBps:   &slippage,\n}, karat.Signing{Signers: []karat.Signer{partner, customer}}))\nfmt.Println(bought.Status, bought.GoldAmount, \"GOLD\")"
    }
  ],
  "submitBuy": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst request = { service_user_id, gold_amount: 0.5 };\nconst quote = await karat.buys.quote(request);\nconsole.log('half an ounce for', quote.quote.usdc_amount, 'USDC');\n\n// Compares the transaction with the request before anyone signs.\nconst signed = await karat.buys.sign(quote, { ...request, signers: [partner, customer] });\nconst { tx_hash } = await karat.buys.submit(quote.trade_id, signed);\nconsole.log('sent', tx_hash);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nquote = karat.buys.quote(\n    service_user_id=service_user_id,\n    gold_amount=Decimal(\"0.5\"),\n)\nprint(\"half an ounce for\", quote.quote.usdc_amount, \"USDC\")\n\n# Compares the transaction with the request before anyone signs.\nsigned = karat.buys.sign(\n    quote,\n    service_user_id=service_user_id,\n    gold_amount=Decimal(\"0.5\"),\n    signers=[partner, customer],\n)\nsent = karat.buys.submit(quote.trade_id, signed)\nprint(\"sent\", sent.tx_hash)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nrequest := karat.QuoteBuyRequest{\n\tServiceUserID: user.ServiceUserID,\n\tGoldAmount:    karat.MustDecimal(\"0.5\"),\n}\nquote := must(client.Buys.Quote(ctx, request))\nfmt.Println(\"half an ounce for\", quote.Quote.UsdcAmount, \"USDC\")\n\n// Compares the transaction with the request before anyone signs.\nsigning := karat.Signing{Signers: []karat.Signer{partner, customer}}\nsigned := must(client.Buys.Sign(ctx, quote, request, signing))\nsent := must(client.Buys.Submit(ctx, quote.TradeID, signed))\nfmt.Println(\"sent\", sent.TxHash)"
    }
  ],
  "quoteBuy": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst request = { service_user_id, gold_amount: 0.5 };\nconst quote = await karat.buys.quote(request);\nconsole.log('half an ounce for', quote.quote.usdc_amount, 'USDC');"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nquote = karat.buys.quote(\n    service_user_id=service_user_id,\n    gold_amount=Decimal(\"0.5\"),\n)\nprint(\"half an ounce for\", quote.quote.usdc_amount, \"USDC\")"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nrequest := karat.QuoteBuyRequest{\n\tServiceUserID: user.ServiceUserID,\n\tGoldAmount:    karat.MustDecimal(\"0.5\"),\n}\nquote := must(client.Buys.Quote(ctx, request))\nfmt.Println(\"half an ounce for\", quote.Quote.UsdcAmount, \"USDC\")"
    }
  ],
  "inspectTransaction": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { data: inspected } = await karat.api.POST('/v1/transactions/inspect', {\n  body: { transaction: quote.partially_signed_transaction },\n});\nconsole.log(inspected?.summary);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ninspected = karat.request(\n    \"POST\",\n    \"/v1/transactions/inspect\",\n    body={\"transaction\": quote.partially_signed_transaction},\n)\nprint(inspected[\"summary\"])"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\ninspected := must(client.InspectTransaction(ctx, quote.PartiallySignedTransaction))\nfmt.Println(inspected.Summary)"
    }
  ],
  "signing": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\n// Compares the transaction with the request before anyone signs.\nconst signed = await karat.buys.sign(quote, { ...request, signers: [partner, customer] });\nconst { tx_hash } = await karat.buys.submit(quote.trade_id, signed);\nconsole.log('sent', tx_hash);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\n# Compares the transaction with the request before anyone signs.\nsigned = karat.buys.sign(\n    quote,\n    service_user_id=service_user_id,\n    gold_amount=Decimal(\"0.5\"),\n    signers=[partner, customer],\n)\nsent = karat.buys.submit(quote.trade_id, signed)\nprint(\"sent\", sent.tx_hash)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\n// Compares the transaction with the request before anyone signs.\nsigning := karat.Signing{Signers: []karat.Signer{partner, customer}}\nsigned := must(client.Buys.Sign(ctx, quote, request, signing))\nsent := must(client.Buys.Submit(ctx, quote.TradeID, signed))\nfmt.Println(\"sent\", sent.TxHash)"
    }
  ],
  "getOperation": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\n// Waits until the transaction is on chain, or can no longer land.\nconst { status } = await karat.operations.outcome(quote.trade_id);\nconsole.log('half an ounce', status);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\n# Waits until the transaction is on chain, or can no longer land.\noperation = karat.operations.outcome(quote.trade_id)\nprint(\"half an ounce\", operation.status)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\n// Waits until the transaction is on chain, or can no longer land.\noperation := must(client.Operations.Outcome(ctx, quote.TradeID, 0))\nfmt.Println(\"half an ounce\", operation.Status)"
    }
  ],
  "getTrade": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst trade = await karat.trades.get(quote.trade_id);\nconsole.log(trade.side, trade.gold_amount, 'GOLD');"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ntrade = karat.trades.get(quote.trade_id)\nprint(trade.side, trade.gold_amount, \"GOLD\")"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\ntrade := must(client.Trades.Get(ctx, quote.TradeID))\nfmt.Println(trade.Side, trade.GoldAmount, \"GOLD\")"
    }
  ],
  "sell": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst sold = await karat.sells.execute({\n  service_user_id,\n  usdc_amount: 250,\n  signers: [partner, customer],\n});\nconsole.log(sold.status, sold.usdc_amount, 'USDC');"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nsold = karat.sells.execute(\n    service_user_id=service_user_id,\n    usdc_amount=250,\n    signers=[partner, customer],\n)\nprint(sold.status, sold.usdc_amount, \"USDC\")"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nsold := must(client.Sells.Execute(ctx, karat.QuoteSellRequest{\n\tServiceUserID: user.ServiceUserID,\n\tUsdcAmount:    karat.MustDecimal(\"250\"),\n}, karat.Signing{Signers: []karat.Signer{partner, customer}}))\nfmt.Println(sold.Status, sold.UsdcAmount, \"USDC\")"
    }
  ],
  "submitSell": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst sale = { service_user_id, gold_amount: 0.1 };\nconst offer = await karat.sells.quote(sale);\nconsole.log('a tenth of an ounce for', offer.quote.usdc_amount, 'USDC');\n\nconst signedSale = await karat.sells.sign(offer, { ...sale, signers: [partner, customer] });\nawait karat.sells.submit(offer.trade_id, signedSale);\nconsole.log('a tenth', (await karat.operations.outcome(offer.trade_id)).status);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\noffer = karat.sells.quote(\n    service_user_id=service_user_id,\n    gold_amount=Decimal(\"0.1\"),\n)\nprint(\"a tenth of an ounce for\", offer.quote.usdc_amount, \"USDC\")\n\nsigned_sale = karat.sells.sign(\n    offer,\n    service_user_id=service_user_id,\n    gold_amount=Decimal(\"0.1\"),\n    signers=[partner, customer],\n)\nkarat.sells.submit(offer.trade_id, signed_sale)\nprint(\"a tenth\", karat.operations.outcome(offer.trade_id).status)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nrequest := karat.QuoteSellRequest{\n\tServiceUserID: user.ServiceUserID,\n\tGoldAmount:    karat.MustDecimal(\"0.1\"),\n}\noffer := must(client.Sells.Quote(ctx, request))\nfmt.Println(\"a tenth of an ounce for\", offer.Quote.UsdcAmount, \"USDC\")\n\nsigning := karat.Signing{Signers: []karat.Signer{partner, customer}}\nsigned := must(client.Sells.Sign(ctx, offer, request, signing))\nmust(client.Sells.Submit(ctx, offer.TradeID, signed))\nfmt.Println(\"a tenth\", must(client.Operations.Outcome(ctx, offer.TradeID, 0)).Status)"
    }
  ],
  "quoteSell": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst sale = { service_user_id, gold_amount: 0.1 };\nconst offer = await karat.sells.quote(sale);\nconsole.log('a tenth of an ounce for', offer.quote.usdc_amount, 'USDC');"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\noffer = karat.sells.quote(\n    service_user_id=service_user_id,\n    gold_amount=Decimal(\"0.1\"),\n)\nprint(\"a tenth of an ounce for\", offer.quote.usdc_amount, \"USDC\")"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nrequest := karat.QuoteSellRequest{\n\tServiceUserID: user.ServiceUserID,\n\tGoldAmount:    karat.MustDecimal(\"0.1\"),\n}\noffer := must(client.Sells.Quote(ctx, request))\nfmt.Println(\"a tenth of an ounce for\", offer.Quote.UsdcAmount, \"USDC\")"
    }
  ],
  "listTrades": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst trades = karat.trades.list({ service_user_id, created_from: '2026-01-01T00:00:00Z' });\nfor await (const { side, gold_amount, usdc_amount } of trades) {\n  console.log(side, gold_amount, 'GOLD', usdc_amount, 'USDC');\n}"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ntrades = karat.trades.list(\n    service_user_id=service_user_id,\n    created_from=\"2026-01-01T00:00:00Z\",\n)\nfor one in trades:\n    print(one.side, one.gold_amount, \"GOLD\", one.usdc_amount, \"USDC\")"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nquery := karat.ListTradesParams{\n\tServiceUserID: user.ServiceUserID,\n\tCreatedFrom:   \"2026-01-01T00:00:00Z\",\n}\nfor trade, err := range client.Trades.List(ctx, query) {\n\tmust(0, err)\n\tfmt.Println(trade.Side, trade.GoldAmount, \"GOLD\", trade.UsdcAmount, \"USDC\")\n}"
    }
  ],
  "failure": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat, KaratError } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\ntry {\n  const order = { service_user_id, usdc_amount: 100, min_gold_out: 1 };\n  await karat.buys.execute({ ...order, signers: [partner, customer] });\n} catch (error) {\n  if (!(error instanceof KaratError)) throw error;\n  console.log(error.code, error.reason, error.docUrl);\n  if (error.operationId) console.log('it is', (await karat.operations.get(error.operationId)).status);\n}"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat, KaratError\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ntry:\n    karat.buys.execute(\n        service_user_id=service_user_id,\n        usdc_amount=100,\n        min_gold_out=1,\n        signers=[partner, customer],\n    )\nexcept KaratError as error:\n    print(error.code, error.reason, error.doc_url)\n    if error.operation_id:\n        print(\"it is\", karat.operations.get(error.operation_id).status)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\n_, err := client.Buys.Execute(ctx, karat.QuoteBuyRequest{\n\tServiceUserID: user.ServiceUserID,\n\tUsdcAmount:    karat.MustDecimal(\"100\"),\n\tMinGoldOut:    karat.MustDecimal(\"1\"),\n}, signing)\nvar failure *karat.Error\nif errors.As(err, &failure) {\n\tfmt.Println(failure.Code, failure.Reason, failure.DocURL)\n\tif failure.OperationID != \"\" {\n\t\tfmt.Println(\"it is\", must(client.Operations.Get(ctx, failure.OperationID, karat.GetOperationParams{})).Status)\n\t}\n}"
    }
  ],
  "redeem": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst [bar] = await karat.countries.denominations({ country: 'PK', city: 'Karachi' });\nif (!bar) throw new Error('Karachi has no bars');\nconsole.log(bar.label, bar.city);\nconst redemption = await karat.redemptions.execute({\n  service_user_id,\n  denomination_id: bar.id,\n  city: bar.city,\n  signers: [customer],\n});\nconsole.log(redemption.status, redemption.quote?.tokens_required, 'GOLD');"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nbar = karat.countries.denominations(country=\"PK\", city=\"Karachi\").take(1)[0]\nprint(bar.label, bar.city)\nredemption = karat.redemptions.execute(\n    service_user_id=service_user_id,\n    denomination_id=bar.id,\n    city=bar.city,\n    signers=[customer],\n)\nprint(redemption.status, redemption.quote and redemption.quote.tokens_required, \"GOLD\")"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nplace := karat.ListDenominationsParams{Country: \"PK\", City: \"Karachi\"}\nbar := must(client.Countries.Denominations(ctx, place))[0]\nfmt.Println(bar.Label, bar.City)\nredemption := must(client.Redemptions.Execute(ctx, karat.QuoteRedemptionRequest{\n\tServiceUserID:  user.ServiceUserID,\n\tDenominationID: bar.ID,\n\tCity:           bar.City,\n}, karat.Signing{Signers: []karat.Signer{customer}}))\nfmt.Println(redemption.Status, redemption.Quote.TokensRequired, \"GOLD\")"
    }
  ],
  "listDenominations": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst [bar] = await karat.countries.denominations({ country: 'PK', city: 'Karachi' });\nif (!bar) throw new Error('Karachi has no bars');\nconsole.log(bar.label, bar.city);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nbar = karat.countries.denominations(country=\"PK\", city=\"Karachi\").take(1)[0]\nprint(bar.label, bar.city)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nplace := karat.ListDenominationsParams{Country: \"PK\", City: \"Karachi\"}\nbar := must(client.Countries.Denominations(ctx, place))[0]\nfmt.Println(bar.Label, bar.City)"
    }
  ],
  "submitRedemption": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst desired = { service_user_id, denomination_id: 'pk_tola_1', city: 'Karachi' };\nconst cost = await karat.redemptions.quote(desired);\nconsole.log('a tola for', cost.quote.tokens_required, 'GOLD');\n\nconst paid = await karat.redemptions.sign(cost, { ...desired, signers: [customer] });\nawait karat.redemptions.submit(cost.redemption_id, paid);\nconsole.log('a tola', (await karat.operations.outcome(cost.redemption_id)).status);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ncost = karat.redemptions.quote(\n    service_user_id=service_user_id,\n    denomination_id=\"pk_tola_1\",\n    city=\"Karachi\",\n)\nprint(\"a tola for\", cost.quote.tokens_required, \"GOLD\")\n\npaid = karat.redemptions.sign(\n    cost,\n    service_user_id=service_user_id,\n    denomination_id=\"pk_tola_1\",\n    city=\"Karachi\",\n    signers=[customer],\n)\nkarat.redemptions.submit(cost.redemption_id, paid)\nprint(\"a tola\", karat.operations.outcome(cost.redemption_id).status)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nrequest := karat.QuoteRedemptionRequest{\n\tServiceUserID:  user.ServiceUserID,\n\tDenominationID: \"pk_tola_1\",\n\tCity:           \"Karachi\",\n}\ncost := must(client.Redemptions.Quote(ctx, request))\nfmt.Println(\"a tola for\", cost.Quote.TokensRequired, \"GOLD\")\n\nsigning := karat.Signing{Signers: []karat.Signer{customer}}\npaid := must(client.Redemptions.Sign(ctx, cost, request, signing))\nmust(client.Redemptions.Submit(ctx, cost.RedemptionID, paid))\nfmt.Println(\"a tola\", must(client.Operations.Outcome(ctx, cost.RedemptionID, 0)).Status)"
    }
  ],
  "quoteRedemption": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst desired = { service_user_id, denomination_id: 'pk_tola_1', city: 'Karachi' };\nconst cost = await karat.redemptions.quote(desired);\nconsole.log('a tola for', cost.quote.tokens_required, 'GOLD');"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ncost = karat.redemptions.quote(\n    service_user_id=service_user_id,\n    denomination_id=\"pk_tola_1\",\n    city=\"Karachi\",\n)\nprint(\"a tola for\", cost.quote.tokens_required, \"GOLD\")"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nrequest := karat.QuoteRedemptionRequest{\n\tServiceUserID:  user.ServiceUserID,\n\tDenominationID: \"pk_tola_1\",\n\tCity:           \"Karachi\",\n}\ncost := must(client.Redemptions.Quote(ctx, request))\nfmt.Println(\"a tola for\", cost.Quote.TokensRequired, \"GOLD\")"
    }
  ],
  "getRedemption": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\n// While it is ready, the record has the pickup_code to show to the customer.\nconst { status: progress, pickup_code } = await karat.redemptions.get(cost.redemption_id);\nconsole.log(progress, pickup_code ?? 'no code yet');"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\n# While it is ready, the record has the pickup_code to show to the customer.\nrecord = karat.redemptions.get(cost.redemption_id)\nprint(record.status, record.pickup_code or \"no code yet\")"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\n// While it is ready, the record has the PickupCode to show to the customer.\nrecord := must(client.Redemptions.Get(ctx, cost.RedemptionID))\nfmt.Println(record.Status, cmp.Or(record.PickupCode, \"no code yet\"))"
    }
  ],
  "listRedemptions": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nfor await (const one of karat.redemptions.list({ service_user_id, city: 'Karachi' })) {\n  console.log(one.denomination, one.status);\n}"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nfor row in karat.redemptions.list(service_user_id=service_user_id, city=\"Karachi\"):\n    print(row.denomination, row.status)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nquery := karat.ListRedemptionsParams{ServiceUserID: user.ServiceUserID, City: \"Karachi\"}\nfor one, err := range client.Redemptions.List(ctx, query) {\n\tmust(0, err)\n\tfmt.Println(one.Denomination, one.Status)\n}"
    }
  ],
  "cancelRedemption": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst cancelled = await karat.redemptions.cancel(redemption.redemption_id, 'moved to another city');\nconsole.log(cancelled.status);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ncancelled = karat.redemptions.cancel(redemption.redemption_id, \"moved to another city\")\nprint(cancelled.status)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nreason := karat.CancelRedemptionRequest{Reason: \"moved to another city\"}\ncancelled := must(client.Redemptions.Cancel(ctx, redemption.RedemptionID, reason))\nfmt.Println(cancelled.Status)"
    }
  ],
  "refused": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst refused = await karat.buys.quote({ service_user_id, usdc_amount: -5 }).catch((error) => error);\nconsole.log(refused.code, refused.field, refused.status);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat, KaratError\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ntry:\n    karat.buys.quote(service_user_id=service_user_id, usdc_amount=-5)\nexcept KaratError as error:\n    print(error.code, error.field, error.status)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\n_, err := client.Buys.Quote(ctx, karat.QuoteBuyRequest{\n\tServiceUserID: user.ServiceUserID,\n\tUsdcAmount:    karat.MustDecimal(\"-5\"),\n})\nvar failure *karat.Error\nif errors.As(err, &failure) {\n\tfmt.Println(failure.Code, failure.Field, failure.Status)\n}"
    }
  ],
  "following": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst [first] = await karat.events.list({ object_id: bought.trade_id }).take(1);\nconsole.log(first?.type);\nconst types = ['trade.confirmed', 'redemption.submitted'];\nfor await (const event of karat.events.stream({ after: first?.id, types: types.join() })) {\n  console.log(event.type);\n  if (event.data.object_type === 'redemption') break;\n}"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nfirst = karat.events.list(object_id=bought.trade_id).take(1)[0]\nprint(first.type)\ntypes = [\"trade.confirmed\", \"redemption.submitted\"]\nfor event in karat.events.stream(after=first.id, types=types):\n    print(event.type)\n    if event.redemption:\n        break"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nquery := karat.ListEventsParams{ObjectID: bought.TradeID}\nfirst := must(karat.Take(client.Events.List(ctx, query), 1))[0]\nfmt.Println(first.Type)\nwanted := karat.StreamOptions{\n\tAfter: first.ID,\n\tTypes: []karat.EventType{\"trade.confirmed\", \"redemption.submitted\"},\n}\nfor event, err := range client.Events.Stream(ctx, wanted) {\n\tmust(0, err)\n\tfmt.Println(event.Type)\n\tif event.Data.ObjectType == \"redemption\" {\n\t\tbreak\n\t}\n}"
    }
  ],
  "listEvents": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst [first] = await karat.events.list({ object_id: bought.trade_id }).take(1);\nconsole.log(first?.type);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nfirst = karat.events.list(object_id=bought.trade_id).take(1)[0]\nprint(first.type)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nquery := karat.ListEventsParams{ObjectID: bought.TradeID}\nfirst := must(karat.Take(client.Events.List(ctx, query), 1))[0]\nfmt.Println(first.Type)"
    }
  ],
  "streamEvents": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst types = ['trade.confirmed', 'redemption.submitted'];\nfor await (const event of karat.events.stream({ after: first?.id, types: types.join() })) {\n  console.log(event.type);\n  if (event.data.object_type === 'redemption') break;\n}"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ntypes = [\"trade.confirmed\", \"redemption.submitted\"]\nfor event in karat.events.stream(after=first.id, types=types):\n    print(event.type)\n    if event.redemption:\n        break"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nwanted := karat.StreamOptions{\n\tAfter: first.ID,\n\tTypes: []karat.EventType{\"trade.confirmed\", \"redemption.submitted\"},\n}\nfor event, err := range client.Events.Stream(ctx, wanted) {\n\tmust(0, err)\n\tfmt.Println(event.Type)\n\tif event.Data.ObjectType == \"redemption\" {\n\t\tbreak\n\t}\n}"
    }
  ],
  "webhooks": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat, verifyWebhook } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst server = createServer(async (request, response) => {\n  try {\n    const event = await verifyWebhook(await text(request), request.headers, secret);\n    console.log('webhook', event.type);\n    response.end();\n  } catch {\n    response.writeHead(400).end(); // uncaught, one unsigned request would end the process\n  }\n});\nawait new Promise<void>((done) => server.listen(0, '127.0.0.1', done));\nconst url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/karat`;\n// The secret is shown only here.\nconst { endpoint_id, secret } = await karat.webhookEndpoints.create({\n  url,\n  types: ['trade.confirmed', 'redemption.ready'],\n});\nconst { delivered } = await karat.webhookEndpoints.test(endpoint_id);\nconsole.log('delivered', delivered);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat, KaratError, verify_webhook\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nclass Receiver(BaseHTTPRequestHandler):\n    def do_POST(self) -> None:\n        body = self.rfile.read(int(self.headers[\"content-length\"]))\n        try:\n            event = verify_webhook(body, self.headers, endpoint.secret)\n            print(\"webhook\", event.type)\n            self.send_response(200)\n        except KaratError:\n            self.send_response(400)\n        self.end_headers()\n\n    def log_message(self, format: str, *args: object) -> None:\n        \"\"\"Leaves out the log of requests.\"\"\"\n\n\nserver = HTTPServer((\"127.0.0.1\", 0), Receiver)\nThread(target=server.serve_forever, daemon=True).start()\nurl = f\"http://127.0.0.1:{server.server_port}/karat\"\n# The secret is shown only here.\nendpoint = karat.webhook_endpoints.create(\n    url=url,\n    types=[\"trade.confirmed\", \"redemption.ready\"],\n)\ntested = karat.webhook_endpoints.test(endpoint.endpoint_id)\nprint(\"delivered\", tested.delivered)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nlistener := must(net.Listen(\"tcp\", \"127.0.0.1:0\"))\n// The secret is shown only here.\nendpoint := must(client.WebhookEndpoints.Create(ctx, karat.CreateWebhookEndpointRequest{\n\tURL:   fmt.Sprintf(\"http://%s/karat\", listener.Addr()),\n\tTypes: []karat.EventType{\"trade.confirmed\", \"redemption.ready\"},\n}))\nreceive := func(writer http.ResponseWriter, request *http.Request) {\n\tbody, _ := io.ReadAll(request.Body)\n\tevent, err := karat.VerifyWebhook(body, request.Header, endpoint.Secret)\n\tif err != nil {\n\t\twriter.WriteHeader(http.StatusBadRequest)\n\t\treturn\n\t}\n\tfmt.Println(\"webhook\", event.Type)\n}\ngo http.Serve(listener, http.HandlerFunc(receive))\ntested := must(client.WebhookEndpoints.Test(ctx, endpoint.EndpointID))\nfmt.Println(\"delivered\", tested.Delivered)"
    }
  ],
  "createWebhookEndpoint": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\n// The secret is shown only here.\nconst { endpoint_id, secret } = await karat.webhookEndpoints.create({\n  url,\n  types: ['trade.confirmed', 'redemption.ready'],\n});"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\n# The secret is shown only here.\nendpoint = karat.webhook_endpoints.create(\n    url=url,\n    types=[\"trade.confirmed\", \"redemption.ready\"],\n)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\n// The secret is shown only here.\nendpoint := must(client.WebhookEndpoints.Create(ctx, karat.CreateWebhookEndpointRequest{\n\tURL:   fmt.Sprintf(\"http://%s/karat\", listener.Addr()),\n\tTypes: []karat.EventType{\"trade.confirmed\", \"redemption.ready\"},\n}))"
    }
  ],
  "testWebhookEndpoint": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { delivered } = await karat.webhookEndpoints.test(endpoint_id);\nconsole.log('delivered', delivered);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ntested = karat.webhook_endpoints.test(endpoint.endpoint_id)\nprint(\"delivered\", tested.delivered)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\ntested := must(client.WebhookEndpoints.Test(ctx, endpoint.EndpointID))\nfmt.Println(\"delivered\", tested.Delivered)"
    }
  ],
  "listWebhookEndpoints": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nfor await (const endpoint of karat.webhookEndpoints.list()) {\n  if (endpoint.url === url) console.log('endpoint', endpoint.status);\n}"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nfor listed in karat.webhook_endpoints.list():\n    if listed.url == url:\n        print(\"endpoint\", listed.status)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nall := client.WebhookEndpoints.List(ctx, karat.ListWebhookEndpointsParams{})\nfor listed, err := range all {\n\tmust(0, err)\n\tif listed.URL == endpoint.URL {\n\t\tfmt.Println(\"endpoint\", listed.Status)\n\t}\n}"
    }
  ],
  "getWebhookEndpoint": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst endpoint = await karat.webhookEndpoints.get(endpoint_id);\nconsole.log(endpoint.types?.join());"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nfound = karat.webhook_endpoints.get(endpoint.endpoint_id)\nprint(\",\".join(found.types or []))"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nfound := must(client.WebhookEndpoints.Get(ctx, endpoint.EndpointID))\nfmt.Println(joined(found.Types))"
    }
  ],
  "changeWebhookEndpoint": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst changed = await karat.webhookEndpoints.update(endpoint_id, { types: ['trade.confirmed'] });\nconsole.log(changed.types?.join());"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nchanged = karat.webhook_endpoints.update(endpoint.endpoint_id, types=[\"trade.confirmed\"])\nprint(\",\".join(changed.types or []))"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\ntypes := []karat.EventType{\"trade.confirmed\"}\nchanges := karat.ChangeWebhookEndpointRequest{Types: &types}\nchanged := must(client.WebhookEndpoints.Update(ctx, endpoint.EndpointID, changes))\nfmt.Println(joined(changed.Types))"
    }
  ],
  "resendWebhookEvents": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { resent } = await karat.webhookEndpoints.resend(endpoint_id, {\n  from: bought.created_at,\n  to: trade.created_at,\n});\nconsole.log('resent', resent > 0);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nagain = karat.webhook_endpoints.resend(\n    endpoint.endpoint_id,\n    from_=bought.created_at,\n    to=trade.created_at,\n)\nprint(\"resent\", again.resent > 0)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nperiod := karat.ResendWebhookEventsRequest{From: bought.CreatedAt, To: trade.CreatedAt}\nagain := must(client.WebhookEndpoints.Resend(ctx, endpoint.EndpointID, period))\nfmt.Println(\"resent\", again.Resent > 0)"
    }
  ],
  "listWebhookDeliveries": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst [delivery] = await karat.webhookEndpoints.deliveries(endpoint_id).take(1);\nconsole.log('delivery of', delivery?.type);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\ndelivery = karat.webhook_endpoints.deliveries(endpoint.endpoint_id).take(1)[0]\nprint(\"delivery of\", delivery.type)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nquery := karat.ListWebhookDeliveriesParams{}\ndeliveries := client.WebhookEndpoints.Deliveries(ctx, endpoint.EndpointID, query)\nfmt.Println(\"delivery of\", must(karat.Take(deliveries, 1))[0].Type)"
    }
  ],
  "rotateWebhookSecret": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\n// For an hour both secrets sign.\nconst rotated = await karat.webhookEndpoints.rotateSecret(endpoint_id, { overlap_hours: 1 });\nconsole.log('rotated', rotated.secret !== secret);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\n# For an hour both secrets sign.\nrotated = karat.webhook_endpoints.rotate_secret(endpoint.endpoint_id, overlap_hours=1)\nprint(\"rotated\", rotated.secret != endpoint.secret)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\n// For an hour both secrets sign.\noverlap := karat.RotateWebhookSecretRequest{OverlapHours: karat.MustDecimal(\"1\")}\nrotated := must(client.WebhookEndpoints.RotateSecret(ctx, endpoint.EndpointID, overlap))\nfmt.Println(\"rotated\", rotated.Secret != endpoint.Secret)"
    }
  ],
  "deleteWebhookEndpoint": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nawait karat.webhookEndpoints.delete(endpoint_id);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nkarat.webhook_endpoints.delete(endpoint.endpoint_id)"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nmust(0, client.WebhookEndpoints.Delete(ctx, endpoint.EndpointID))"
    }
  ],
  "revokeApiKey": [
    {
      "lang": "typescript",
      "label": "TypeScript",
      "source": "import { Karat } from '@karat/sdk';\n\nconst karat = new Karat({ apiKey, baseUrl });\n\nconst { data: revoked } = await karat.api.POST('/v1/partner/api-keys/{key_id}/revoke', {\n  params: { path: { key_id } },\n});\nconsole.log('key', revoked?.status);"
    },
    {
      "lang": "python",
      "label": "Python",
      "source": "from karat import Karat\n\nkarat = Karat(api_key=minted.api_key, base_url=base_url)\n\nrevoked = karat.request(\"POST\", f\"/v1/partner/api-keys/{minted.key_id}/revoke\")\nprint(\"key\", revoked[\"status\"])"
    },
    {
      "lang": "go",
      "label": "Go",
      "source": "import karat \"github.com/karat-gold/karat/packages/sdk-go\"\n\nclient := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))\n\nvar revoked karat.RevokeAPIKeyResult\nmust(0, client.Do(ctx, \"POST\", \"/v1/partner/api-keys/\"+minted.KeyID+\"/revoke\", nil, &revoked))\nfmt.Println(\"key\", revoked.Status)"
    }
  ]
};
