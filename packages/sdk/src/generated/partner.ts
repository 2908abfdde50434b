/** Types of the partner API. Generated from `openapi/partner.json`: npm run generate:openapi. */

export interface paths {
    "/v1/auth/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a challenge
         * @description Step 1 of minting a key. Sign `message` with the partner wallet and call `POST /v1/auth/api-key` within 2 minutes.
         */
        post: operations["createChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/api-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint an API key
         * @description Step 2: the signature proves that the caller holds the partner wallet. A wrong signature does not use up the challenge; a correct one does.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partner/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys
         * @description Active and revoked keys of the partner, newest first. The keys themselves are never shown again.
         */
        get: operations["listApiKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partner/api-keys/{key_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an API key
         * @description Takes effect immediately and permanently: the next request with the key is 401. A key may revoke itself. Takes no body.
         */
        post: operations["revokeApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session
         * @description Returns who is signed in, with the role and what it permits.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in to the portal
         * @description With `email` and `password`, or with the `signature` of a wallet of the partner for a challenge of `POST /v1/session/challenge`, which opens a session of an owner in the name of the wallet. Opens a session and sets its cookie. The session ends after 12 hours, or after 30 minutes without a request. After 4 wrong passwords for an account from one network, every further attempt from there must wait, from one second up to 15 minutes. After 21 wrong passwords, a network as a whole and an account that is tried from other networks are slowed as well, in the end to one attempt a minute, and so is a /48 of IPv6 after 201. `retry-after` gives the wait. Attempts from other networks do not delay a network that the account has signed in from. For an account with a second factor, the response is 202 with a challenge for the second step, and no session. A change made with the cookie needs `x-karat-portal: 1` and an `Origin` of this host.
         */
        post: operations["signIn"];
        /**
         * Sign out
         * @description Ends the session of the cookie immediately.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a challenge to sign in with a wallet
         * @description The wallet signs `message`, within 2 minutes. It is another message than that for a key.
         */
        post: operations["createSessionChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the session of a wallet
         * @description For a session of a wallet, in place of a second factor: takes a fresh signature of the same wallet for a new challenge of `POST /v1/session/challenge`, and returns a `confirmation` for the header `x-karat-confirmation`. It lasts 5 minutes.
         */
        post: operations["confirmSessionWithWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in, second step
         * @description Opens the session with a passkey, a code of the authenticator app, or a recovery code: exactly one of them. The `token` of the first step lasts 5 minutes and works once; after a wrong second factor, you may try again with the same token. Each code works once. Wrong second factors delay further attempts as wrong passwords do, and are counted separately; an account that is tried from other networks is slowed after 11 of them, in the end to one attempt in 15 minutes.
         */
        post: operations["finishSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your password
         * @description All of your sessions end: sign in again. A wrong current password counts as a failed attempt to sign in. Takes no `Idempotency-Key`, because nothing of a password may be stored except its slow hash.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your second factors
         * @description Returns your passkeys, whether you have an authenticator app, and how many recovery codes you have left.
         */
        get: operations["getSecondFactor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/factors/challenges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a challenge for a fresh second factor
         * @description Changing your second factors (`account`) and confirming a session (`confirmation`) take a fresh second factor. The challenge is for that one purpose, expires after 2 minutes, and works once. It takes a passkey, or a code from the authenticator app if you have no passkey. Needs a session: 403 `forbidden` without one.
         */
        post: operations["challengeSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/factors/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the session
         * @description Takes a fresh second factor for a challenge with the purpose `confirmation`, and returns a `confirmation`. Send it in the header `x-karat-confirmation` with what revokes keys, changes members or shows the secrets of webhooks: without it, a person with a second factor gets 403 `second_factor_required` with this `field`. It lasts 5 minutes, is valid for this session only, and replaces an earlier one. Keep it in memory, not in a cookie or in storage. Needs a session: 403 `forbidden` without one.
         */
        post: operations["confirmSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to add a passkey
         * @description Returns the options with which the browser creates a passkey for this page; the passkey works only at its origin. Takes a fresh passkey if you have one; otherwise `current_password`, and a code from the authenticator app if you have that. Needs a session, at a host name and not an IP address.
         */
        post: operations["startPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a passkey
         * @description With the first second factor you get recovery codes, which are never shown again, and a new session cookie; all earlier sessions end. Takes no `Idempotency-Key`, because no recovery code may be stored.
         */
        post: operations["addPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/passkeys/{passkey_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename a passkey
         * @description Only you see the name. It distinguishes your passkeys; nothing depends on it.
         */
        patch: operations["renamePasskey"];
        trace?: never;
    };
    "/v1/session/passkeys/{passkey_id}/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a passkey
         * @description The last second factor of a role that needs one cannot be removed; otherwise your recovery codes go with it.
         */
        post: operations["removePasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to add an authenticator app
         * @description Returns the key for the app (RFC 6238: SHA-1, 6 digits, 30 seconds), which is never shown again and takes effect when it is confirmed within 15 minutes in the same session, before another second factor is added. Takes a fresh passkey if you have one, otherwise `current_password`. Takes no `Idempotency-Key`, because the key may not be stored.
         */
        post: operations["startTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the authenticator app
         * @description Takes the code that the app shows. With the first second factor you get recovery codes, which are never shown again, and a new session cookie; all earlier sessions end.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/totp/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove the authenticator app
         * @description The last second factor of a role that needs one cannot be removed; otherwise your recovery codes go with it.
         */
        post: operations["removeTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace your recovery codes
         * @description The earlier ones no longer work. The new ones are never shown again. Takes no `Idempotency-Key`, because no recovery code may be stored.
         */
        post: operations["renewRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members
         * @description Those who can sign in to the portal with an email, oldest first.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what members did
         * @description Changes that members of the partner made, and their sign-ins, newest first.
         */
        get: operations["listMemberAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{member_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Takes effect immediately and permanently: sessions and streams end, and pending invitations of the member lapse. The last owner cannot be removed. Needs a confirmed session.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the name or the role of a member
         * @description A role applies from the next request on, also in open sessions. The role of the last owner cannot change. Needs a confirmed session.
         */
        patch: operations["changeMember"];
        trace?: never;
    };
    "/v1/members/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the pending invitations
         * @description Newest first, without their links.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a member
         * @description Returns a link, which is never shown again: pass it on, since Karat sends no mail. It works once, within 72 hours. The event `member.invited` carries it too, except for owners. Takes no `Idempotency-Key`, because the link may not be stored. Needs a confirmed session.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/invitations/{invitation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw an invitation
         * @description Its link no longer works. Needs a confirmed session.
         */
        delete: operations["withdrawInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Makes a member, who can sign in from then on. An invitation that was used, was withdrawn, has expired or does not exist is the same 400 `invalid_invitation`, and so is one for an address that has an account at another partner.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your partner and key
         * @description Returns the partner that the key acts for, its fees and limits, and the key itself.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/network": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the network
         * @description Returns the Solana network that transactions are for, with the addresses on it. Needs no key: what it names is for pinning, before anything is signed.
         */
        get: operations["getNetwork"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/countries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the countries
         * @description Lists the countries whose residents may be registered, in the order of their codes.
         */
        get: operations["listCountries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/token/gold.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metadata of GOLD
         * @description Returns what wallets and explorers read at the `uri` of the GOLD mint: name and symbol as they are on the chain, a description and a logo. Needs no key; pages of any site may read it.
         */
        get: operations["getGoldMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your limits
         * @description Returns every limit that can stop you, with what is used and what is left: what you and your customers may move within 24 hours, what the service pays to the network for you within an hour, requests within a minute, webhook endpoints, and open streams of events.
         */
        get: operations["listLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/price": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the price
         * @description Returns the price that quotes are made at now. When there is none, the response is 503 `pricing_unavailable`, as for a quote; but a market that is closed to trading still returns its last price.
         */
        get: operations["getPrice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/price/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List past prices
         * @description Returns candles in the order of time, at most 1,000: the first ones from `from` on, so that the next request can begin behind the last candle; without `from` the latest ones. A changed price is in it within 4 seconds. An interval without a price has no candle. Minutes are kept for 90 days, hours and days for ever. `closures` are the times in the range in which the market is closed, by its calendar and by the operators' word of now; candles of a day come without any.
         */
        get: operations["listPriceHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users
         * @description Newest first. Of KYC records, only country and level. A filter for an unknown value gives an empty list. Paging from the first page to the last shows every user that existed at the start exactly once.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Register a user
         * @description Registers a customer, with the KYC record that the partner vouches for.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{service_user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Returns one of your users, with the KYC record.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{service_user_id}/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user's balances
         * @description Returns what the wallet of a user holds on chain now, as far as transactions are confirmed.
         */
        get: operations["getUserBalances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/buy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote a buy
         * @description Stateless: nothing is stored. The transaction needs the signatures of the partner and the user, and lands within about 60 seconds or never. Where a limit of 24 hours is set for the user or for all users of the partner, the quote counts against it until its transaction has landed or can land no more. The response is also 429 `rate_limited`, with the reason `fee_budget_used`, once the service has paid as much to the network for your transactions within the hour as your terms allow, less the fees that it earned.
         */
        post: operations["quoteBuy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sell": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote a sell
         * @description Stateless: nothing is stored. The transaction needs the signatures of the partner and the user, and lands within about 60 seconds or never. Where a limit of 24 hours is set for the user or for all users of the partner, the quote counts against it until its transaction has landed or can land no more. The response is also 429 `rate_limited`, with the reason `fee_budget_used`, once the service has paid as much to the network for your transactions within the hour as your terms allow, less the fees that it earned.
         */
        post: operations["quoteSell"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/buy/{trade_id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a buy
         * @description Sends the quote's transaction, signed by the partner and the user, to the chain. Submitting the same bytes again returns the same response, even after they have landed. Nothing is sent for a user who has been suspended since the quote.
         */
        post: operations["submitBuy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sell/{trade_id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a sell
         * @description Sends the quote's transaction, signed by the partner and the user, to the chain. Submitting the same bytes again returns the same response, even after they have landed. Nothing is sent for a user who has been suspended since the quote.
         */
        post: operations["submitSell"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trades/{trade_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a trade
         * @description Returns what happened on chain. The record appears when the transaction is confirmed, typically 10 to 15 seconds after it was submitted; until then the response is 404. In a `failed` trade the fees, the price and the amount of the other side are 0.
         */
        get: operations["getTrade"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the trades
         * @description Newest first. A filter for an unknown value gives an empty list. Paging from the first page to the last shows every trade that existed at the start exactly once.
         */
        get: operations["listTrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/denominations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the denominations
         * @description Lists the bars and coins that can be picked up in a country. A country or city without any gives an empty list. `availability` changes with every redemption; a quote never depends on it.
         */
        get: operations["listDenominations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/redemptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the redemptions
         * @description Newest first, without unpaid quotes. A filter for an unknown value gives an empty list.
         */
        get: operations["listRedemptions"];
        put?: never;
        /**
         * Quote a redemption
         * @description Returns what a bar costs in GOLD, and the transaction that pays for it. Only the service and the user sign it. The redemption can be read once that transaction is confirmed. While redemptions are paused, the response is 503 `service_unavailable`; while 500 quotes of the partner can still be submitted, or once the service has paid as much to the network for its transactions within the hour as its terms allow, it is 429 `rate_limited`. Repeated with its `Idempotency-Key` after it has expired, it is 409 `idempotency_conflict` with the reason `quote_expired`.
         */
        post: operations["quoteRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/redemptions/{redemption_id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit the payment of a redemption
         * @description Sends the quote's transaction, signed by the user, to the chain. Submitting the same bytes again returns the same response, even after they have landed. Nothing is sent for a user who has been suspended since the quote.
         */
        post: operations["submitRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/redemptions/{redemption_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request the cancellation of a redemption
         * @description Possible until preparation begins. The tokens stay in escrow until an operator refunds them. The body may be left out.
         */
        post: operations["cancelRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/redemptions/{redemption_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a redemption
         * @description A quote whose payment is not on chain yet is 404. While the redemption is `ready`, it has the `pickup_code` that the customer shows at the counter, and as `pickup_qr` the text of a QR code of it. Once it is `collected`, it has the `bar`, with links to the proof that it was in the reserve, and to the first list without it.
         */
        get: operations["getRedemption"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events
         * @description What has happened, oldest first. `sequence` counts the events of the partner from 1, without gaps, in the order in which they became visible: once you have seen a number, no smaller one appears. Go on with the `id` of the last event as `after`. Events are kept for at least 90 days.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the events
         * @description Server-sent events, each as soon as its change is committed: `id` is that of the event, `data` the event as in the list. Resumes behind the event that the header `Last-Event-ID` names, else behind `after`, else with what comes next; the first comment has the `id` of that place, `start` before the first event of all, so that a client that is cut off before any event resumes there. A comment follows every 15 s. A key or member may have 5 streams open at once, and all keys and members of a partner 50; a further one is 429. A stream ends when its key is revoked or the partner suspended, or when its session ends.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/vault": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your vault
         * @description Returns the addresses of your vault, the wallets that may act for it, and what it holds on chain now.
         */
        get: operations["getVault"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the orders of your vault
         * @description Purchases, sales, withdrawals and changes of the executive authorities, newest first, including those that reached the chain without the service.
         */
        get: operations["listOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook endpoints
         * @description Newest first. The secrets are never shown again.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Register a webhook endpoint
         * @description Every event from now on is sent to it at least once, signed as Standard Webhooks 1.0 says: `webhook-id` is the id of the event, and the body the event as in the log. A response with a status of 2xx within 10 s is a success; redirects are not followed. What fails is tried again after 5 s, 30 s, 2 min, 10 min, 1 h, 3 h, 6 h, 12 h, 24 h and 24 h. A 410 disables the endpoint at once, and so do 5 days without a success. A partner may have 10.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook endpoint
         * @description Returns one of your webhook endpoints.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Deletes an endpoint for good, with the record of its deliveries.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description Changes what the body names. A disabled endpoint is sent nothing; once it is active again, it is sent the events from then on, and those before by `resend`.
         */
        patch: operations["changeWebhookEndpoint"];
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook endpoint
         * @description Returns a new secret. Until the overlap ends, each webhook has two signatures, by the new secret and by the one before.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook endpoint
         * @description Sends the event `webhook.test` now, which is not in the log, and returns what came back. Takes no body.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook endpoint
         * @description What was and will be sent to the endpoint, newest first, with every attempt.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery of a webhook endpoint
         * @description Returns a delivery with every attempt, and the body that was sent.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events again
         * @description Sends an event to the endpoint again, by `event_id`, several by `event_ids`, or all that it takes of a time, by `from` and `to`, whether it got them or not. At most 10,000 at a time, and one such request at a time.
         */
        post: operations["resendWebhookEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the logged requests
         * @description Newest first. Requests that were not a GET, and those that failed, of the last 7 days; not those that had no valid key. At most 100,000 a day (UTC) are logged, of which quotes of trades take nine tenths at most, and the others are counted in `days`. A request is in the log within a second.
         */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requests/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a logged request
         * @description Returns a request with its bodies, which are null for members who may not read them, and in which `[redacted]` stands for KYC data, secrets, signatures, transactions, texts and whatever else has no place in a log.
         */
        get: operations["getRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reserves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the reserves
         * @description Returns the newest signed statement of the reserves: the gold held, and the tokens that exist. Needs no key. `examples/verify-reserves.mjs` verifies it.
         */
        get: operations["getReserves"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reserves/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the reserves as they are now
         * @description Compares the tokens that exist on the chain with what is attested, less what was burned since, and with the bars in the vaults. Read at most every ten seconds, and not signed: `GET /v1/reserves` has the last signed statement. Needs no key.
         */
        get: operations["getLiveReserves"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reserves/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the statements of the reserves
         * @description Returns all statements, oldest first. Each contains the hash of the one before it, so that none can be withdrawn. Needs no key.
         */
        get: operations["listReserveStatements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reserves/statements/{statement_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a statement of the reserves
         * @description Returns one statement. Needs no key.
         */
        get: operations["getReserveStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reserves/statements/{statement_id}/bars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bars of a statement
         * @description Returns every bar held, in the order of the Merkle tree: by the bytes of refiner and serial. A leaf is `refiner|serial|weight_g|fineness|vault`, with a `\` before each `\` and `|` in a field, and ends of lines as `\n` and `\r`. Needs no key.
         */
        get: operations["listReserveBars"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reserves/statements/{statement_id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that a bar was held
         * @description Returns a bar of the statement with its inclusion proof: hashing the leaf with the hashes of `path`, from the leaf up, gives the root. Needs no key.
         */
        get: operations["proveReserveBar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reserves/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the reports of the attestor
         * @description Returns the reports on which attestations are based, as far as they were published here, newest first. The chain has the SHA-256 of each, so that none can be exchanged. Needs no key.
         */
        get: operations["listAttestationReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the statement of a month
         * @description Opening and closing balance of the partner's vault, and every trade, order, withdrawal, deposit and redemption of the month. `closing` less `opening` is the sum of the lines and `difference`, which is 0 unless something on the chain has no record. A month that is over has a number and a signature, in the header `karat-statement-signature`: base64 of the Ed25519 signature of the exact bytes of the JSON response, by one of the keys of `GET /v1/papers/keys`. The same header comes with `csv` and `pdf`, which contain what it takes to verify them. It is never rewritten: a correction is another statement, which names it.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trades/{trade_id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receipt of a trade
         * @description Of a trade that has succeeded and is final: the partner's own id of the customer, amounts, fee, price and transaction. A PDF with a code that opens the page which verifies it, without a key.
         */
        get: operations["getTradeReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/redemptions/{redemption_id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receipt of a hand-over
         * @description Of a redemption that was collected: the bar, its value, the payment and the customer, whose name is not in the code. A PDF with a code that opens the page which verifies it, without a key.
         */
        get: operations["getRedemptionReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/papers/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys that sign papers
         * @description Returns the Ed25519 keys that have signed statements and receipts, and statements of the reserves. Needs no key. Compare them with what Karat publishes elsewhere.
         */
        get: operations["listPaperKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions/inspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain a transaction
         * @description Says what a transaction does before it is signed or sent: any transaction, legacy or version 0, with or without signatures. `problems` are what submit or the chain would refuse it for, by the same reasons; `simulation` is what a node makes of it now. Nothing is signed, sent or stored.
         */
        post: operations["inspectTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find out where a transaction is
         * @description Says what has become of the transaction of a trade or redemption, also before the chain confirms it and when it was sent directly to a node. An id that was never submitted here and is not on chain has status `unknown`. With `wait` the response comes as soon as the status is another than `status`, which you know, or after that many seconds; at once if it is `finalized`, `failed` or `expired`, which are ends: `failed` and `expired` are reported once the finalized chain shows it, and until then it is `submitted`. A partner may have 100 requests waiting at once in each process; a further one is 429. One that the node refused at submit stays `submitted`, with the `reason`, because the same bytes may be sent again until they expire.
         */
        get: operations["getOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Liveness
         * @description Shows that the process is up and responding; checks nothing else.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness
         * @description Returns 200 if everything that a quote needs is available, otherwise 503.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ErrorBody: {
            /**
             * @description The error code, for programs to act on.
             * @enum {string}
             */
            error: "invalid_request" | "invalid_wallet" | "invalid_signature" | "invalid_challenge" | "challenge_expired" | "invalid_invitation" | "wallet_revoked" | "invalid_denomination" | "invalid_city" | "kyc_level_insufficient" | "onchain_config_missing" | "wallet_missing" | "broadcast_failed" | "cancellation_not_allowed" | "already_revoked" | "second_factor_wrong" | "unauthorized" | "insufficient_scope" | "partner_mismatch" | "partner_suspended" | "user_suspended" | "forbidden" | "second_factor_required" | "wallet_not_allowed" | "limit_exceeded" | "not_found" | "user_not_found" | "trade_not_found" | "redemption_not_found" | "wallet_not_found" | "key_not_found" | "endpoint_not_found" | "statement_not_found" | "bar_not_found" | "request_not_found" | "method_not_allowed" | "user_already_exists" | "idempotency_conflict" | "transition_not_allowed" | "already_exists" | "last_owner" | "endpoint_limit_reached" | "receipt_not_ready" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "pricing_unavailable" | "service_unavailable";
            /** @description Text for people; the wording may change. */
            message: string;
            /** @description Path of the input field that caused the error, such as `kyc.full_name`. */
            field?: string;
            /**
             * @description Why, for programs to act on. `broadcast_failed` and `pricing_unavailable` always have one.
             * @enum {string}
             */
            reason?: "quote_expired" | "slippage_exceeded" | "price_moved" | "insufficient_usdc" | "insufficient_gold" | "token_account_missing" | "signature_missing" | "signature_invalid" | "transaction_altered" | "other_quote" | "malformed" | "trading_paused" | "market_closed" | "price_unavailable" | "limit_exceeded" | "partner_suspended" | "treasury_short" | "node_unavailable" | "program_error" | "price_stale" | "price_unreachable" | "price_out_of_band" | "wallet_not_allowed" | "usdc_off_peg" | "not_backed" | "opposite_side_too_early" | "treasury_paused" | "fee_budget_used" | "request_limit_reached";
            /** @description Page about the reason, or else about the code: what it means and what to do next. */
            doc_url?: string;
            /** @description Name of the error of the program on chain that refused the transaction, such as `SlippageExceeded`. */
            program_error_name?: string;
            /** @description With `user_already_exists`: the existing user, when it is one of your own. */
            service_user_id?: string;
            /** @description With `limit_exceeded`: the limit. GOLD and USDC as in the rest of the API. */
            details?: {
                /**
                 * @description Which limit it is: of the user, or of all users of the partner together; in USDC or in GOLD.
                 * @enum {string}
                 */
                limit: "user_daily_usdc" | "user_daily_gold" | "partner_daily_usdc" | "partner_daily_gold";
                /**
                 * Format: int64
                 * @description Hours that the limit looks back.
                 */
                period_hours: number;
                /**
                 * Format: double
                 * @description The limit itself.
                 */
                amount: number;
                /**
                 * Format: double
                 * @description What was moved in that time, with what was submitted and may still land.
                 */
                used: number;
                /**
                 * Format: double
                 * @description What quotes that can still land may move; of a submission 0.
                 */
                reserved: number;
                /**
                 * Format: double
                 * @description What the request would move at most.
                 */
                requested: number;
                /** @description When there is room for the request, if nothing else is moved until then; null: never. */
                available_at: string | null;
            };
        };
        CreateChallengeRequest: {
            /**
             * @description Address of one of the partner's registered wallets.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            wallet_address: string;
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
        };
        Challenge: {
            /**
             * @description Id of the challenge, prefixed `ch_`; valid for one key and for 2 minutes.
             * @example ch_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            challenge_id: string;
            /**
             * @description The text to sign, exactly as it stands, with the Ed25519 key of the wallet.
             * @example Sign this message to generate an API key for Karat: ch_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            message: string;
            /**
             * @description When the challenge expires.
             * @example 2026-03-01T12:02:00.000Z
             */
            expires_at: string;
        };
        CreateApiKeyRequest: {
            /**
             * @description Id of the challenge, prefixed `ch_`; valid for one key and for 2 minutes.
             * @example ch_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            challenge_id: string;
            /**
             * @description Base64 of the 64 bytes of the Ed25519 signature of the whole `message`, or of `message` in the off-chain envelope of a Ledger. Base58 is refused.
             * @example Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w==
             */
            signature: string;
            /**
             * @description A name for the key.
             * @example production
             */
            key_name: string;
        };
        MintedApiKey: {
            /**
             * @description The key itself. It is shown only once; the service keeps only its hash.
             * @example service_partner_0000000000000000000000000000000000000000000000000000000000000000
             */
            api_key: string;
            /**
             * @description Id of the key, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            key_id: string;
            /**
             * @description Always `PARTNER`.
             * @example PARTNER
             */
            scope: string;
            /**
             * @description A name for the key.
             * @example production
             */
            key_name: string;
            /**
             * @description Address of one of the partner's registered wallets.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            wallet_address: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        ApiKey: {
            /**
             * @description Id of the key, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            key_id: string;
            /**
             * @description A name for the key.
             * @example production
             */
            key_name: string;
            /**
             * @description Always `PARTNER`.
             * @example PARTNER
             */
            scope: string;
            /**
             * @description `active` or `revoked`.
             * @example active
             * @enum {string}
             */
            status: "active" | "revoked";
            /**
             * @description Address of one of the partner's registered wallets.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            wallet_address: string;
            /**
             * @description Time of the latest request with this key; null if there was none.
             * @example 2026-03-01T12:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When the key was revoked.
             * @example null
             */
            revoked_at: string | null;
        };
        ListApiKeysResult: {
            api_keys: components["schemas"]["ApiKey"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        RevokeApiKeyResult: {
            /**
             * @description Id of the key, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            key_id: string;
            /** @enum {string} */
            status: "revoked";
            /**
             * @description When the key was revoked.
             * @example 2026-03-01T12:00:00.000Z
             */
            revoked_at: string;
        };
        SignInRequest: {
            /**
             * @description Email of the member, in lower case.
             * @example sana@acme.example
             */
            email?: string;
            /**
             * @description The password.
             * @example correct horse battery staple
             */
            password?: string;
            /**
             * @description Id of the challenge, prefixed `ch_`; valid for one key and for 2 minutes.
             * @example ch_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            challenge_id?: string;
            /**
             * @description Signature of the message: base64 or base58.
             * @example Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w==
             */
            signature?: string;
        };
        PortalSession: {
            /**
             * @description Id of the member, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            member_id: string;
            /**
             * @description Null for a session of a wallet.
             * @example sana@acme.example
             */
            email: string | null;
            /**
             * @description Name of the member, or the address of the wallet.
             * @example Sana Malik
             */
            name: string;
            /**
             * @description What the member may do.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "developer" | "finance" | "viewer";
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
            /**
             * @description What the role permits. A page leaves out what would be refused.
             * @example [
             *       "read",
             *       "read_requests",
             *       "manage_keys"
             *     ]
             */
            permissions: ("read" | "read_requests" | "read_bodies" | "read_statements" | "manage_keys" | "manage_webhooks" | "manage_members" | "trade")[];
            /**
             * @description When the session ends at the latest.
             * @example 2026-02-14T21:30:00.000Z
             */
            expires_at: string;
            /**
             * @description Whether sessions of the member need a second factor here.
             * @example true
             */
            second_factor_required: boolean;
            /**
             * @description Whether the member has a passkey or an authenticator app.
             * @example true
             */
            second_factor_enrolled: boolean;
        };
        SecondFactorChallenge: {
            /**
             * @description Identifies the challenge. Keep it within the page that requested it.
             * @example 9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071
             */
            token: string;
            /**
             * @description The methods that are accepted.
             * @example [
             *       "passkey",
             *       "recovery_code"
             *     ]
             */
            methods: ("passkey" | "totp" | "recovery_code")[];
            /**
             * @description `PublicKeyCredentialRequestOptions` as JSON, for `navigator.credentials.get`; null without a passkey for this host.
             * @example {
             *       "challenge": "mKp0…",
             *       "rpId": "karat.example",
             *       "allowCredentials": [],
             *       "timeout": 60000
             *     }
             */
            passkey_options: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When the challenge expires.
             * @example 2026-02-14T09:35:00.000Z
             */
            expires_at: string;
        };
        SignOutResult: {
            /** @enum {string} */
            status: "signed_out";
        };
        CreateSessionChallengeRequest: {
            /**
             * @description Address of one of the partner's registered wallets.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            wallet_address: string;
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
        };
        PortalChallenge: {
            /**
             * @description Id of the challenge, prefixed `ch_`; valid for one key and for 2 minutes.
             * @example ch_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            challenge_id: string;
            /**
             * @description What the wallet signs.
             * @example Sign this message to open the Karat portal: ch_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            message: string;
            /**
             * @description When the challenge expires.
             * @example 2026-03-01T12:02:00.000Z
             */
            expires_at: string;
        };
        ConfirmSessionWithWalletRequest: {
            /**
             * @description Id of the challenge, prefixed `ch_`; valid for one key and for 2 minutes.
             * @example ch_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            challenge_id: string;
            /**
             * @description Base64 of the 64 bytes of the Ed25519 signature of the whole `message`, or of `message` in the off-chain envelope of a Ledger. Base58 is refused.
             * @example Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w==
             */
            signature: string;
        };
        Confirmation: {
            /**
             * @description The value of `x-karat-confirmation`; never shown again.
             * @example 9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071
             */
            confirmation: string;
            /**
             * @description When the confirmation expires.
             * @example 2026-02-14T09:35:00.000Z
             */
            expires_at: string;
        };
        FinishSignInRequest: {
            /**
             * @description Identifies the challenge. Keep it within the page that requested it.
             * @example 9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071
             */
            token: string;
            /**
             * @description The result of `navigator.credentials.get`, as JSON.
             * @example {
             *       "id": "q2fD…",
             *       "rawId": "q2fD…",
             *       "type": "public-key",
             *       "response": {},
             *       "clientExtensionResults": {}
             *     }
             */
            passkey?: {
                [key: string]: unknown;
            };
            /**
             * @description Six digits that the authenticator app shows.
             * @example 492039
             */
            totp_code?: string;
            /**
             * @description A recovery code.
             * @example ABCD-EFGH-2345-6723
             */
            recovery_code?: string;
        };
        ChangePasswordRequest: {
            /**
             * @description 12 to 1000 characters; only its argon2id hash is kept.
             * @example correct horse battery staple
             */
            current_password: string;
            /**
             * @description 12 to 1000 characters; only its argon2id hash is kept.
             * @example correct horse battery staple
             */
            new_password: string;
        };
        ChangePasswordResult: {
            /** @enum {string} */
            status: "signed_out";
        };
        Passkey: {
            /**
             * @description Id of the passkey, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            passkey_id: string;
            /**
             * @description A name for the passkey.
             * @example Laptop at the counter
             */
            name: string;
            /**
             * @description The host where the passkey was created and works.
             * @example ops.karat.example
             */
            host: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When the passkey was last used; null if it never was.
             * @example null
             */
            last_used_at: string | null;
        };
        SecondFactor: {
            /**
             * @description Whether sessions of your role need a second factor here.
             * @example true
             */
            required: boolean;
            passkeys: components["schemas"]["Passkey"][];
            /**
             * @description Whether you have an authenticator app.
             * @example false
             */
            totp: boolean;
            /**
             * @description Whether authenticator apps can be added here: `KARAT_TOTP_SECRET` is set.
             * @example true
             */
            totp_available: boolean;
            /**
             * @description Whether you have a password, which adding the first second factor takes.
             * @example true
             */
            password: boolean;
            /**
             * Format: int64
             * @description How many of your recovery codes are unused.
             * @example 10
             */
            recovery_codes_left: number;
        };
        ChallengeSecondFactorRequest: {
            /**
             * @description `account`, `confirmation`, or `approval` with `approval_id`.
             * @example account
             * @enum {string}
             */
            purpose: "account" | "confirmation";
        };
        ConfirmSessionRequest: {
            /**
             * @description Identifies the challenge. Keep it within the page that requested it.
             * @example 9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071
             */
            token: string;
            /**
             * @description The result of `navigator.credentials.get`, as JSON.
             * @example {
             *       "id": "q2fD…",
             *       "rawId": "q2fD…",
             *       "type": "public-key",
             *       "response": {},
             *       "clientExtensionResults": {}
             *     }
             */
            passkey?: {
                [key: string]: unknown;
            };
            /**
             * @description Six digits that the authenticator app shows.
             * @example 492039
             */
            totp_code?: string;
            /**
             * @description A recovery code.
             * @example ABCD-EFGH-2345-6723
             */
            recovery_code?: string;
        };
        /**
         * @description A fresh second factor, for a challenge that was requested before.
         * @example {
         *       "token": "9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071",
         *       "totp_code": "492039"
         *     }
         */
        FreshFactor: {
            /**
             * @description Identifies the challenge. Keep it within the page that requested it.
             * @example 9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071
             */
            token: string;
            /**
             * @description The result of `navigator.credentials.get`, as JSON.
             * @example {
             *       "id": "q2fD…",
             *       "rawId": "q2fD…",
             *       "type": "public-key",
             *       "response": {},
             *       "clientExtensionResults": {}
             *     }
             */
            passkey?: {
                [key: string]: unknown;
            };
            /**
             * @description Six digits that the authenticator app shows.
             * @example 492039
             */
            totp_code?: string;
            /**
             * @description A recovery code.
             * @example ABCD-EFGH-2345-6723
             */
            recovery_code?: string;
        };
        StartPasskeyRequest: {
            second_factor?: components["schemas"]["FreshFactor"];
            /**
             * @description 12 to 1000 characters; only its argon2id hash is kept.
             * @example correct horse battery staple
             */
            current_password?: string;
        } | null;
        StartPasskeyResult: {
            /**
             * @description Identifies the challenge.
             * @example 9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071
             */
            token: string;
            /**
             * @description `PublicKeyCredentialCreationOptions` as JSON, for `navigator.credentials.create`.
             * @example {
             *       "challenge": "mKp0…",
             *       "rp": {
             *         "name": "Karat",
             *         "id": "ops.karat.example"
             *       }
             *     }
             */
            passkey_options: {
                [key: string]: unknown;
            };
            /**
             * @description When the challenge expires.
             * @example 2026-02-14T09:35:00.000Z
             */
            expires_at: string;
        };
        AddPasskeyRequest: {
            /**
             * @description Identifies the challenge.
             * @example 9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071
             */
            token: string;
            /**
             * @description A name for the passkey.
             * @example Laptop at the counter
             */
            name: string;
            /**
             * @description The result of `navigator.credentials.create`, as JSON.
             * @example {
             *       "id": "q2fD…",
             *       "rawId": "q2fD…",
             *       "type": "public-key",
             *       "response": {},
             *       "clientExtensionResults": {}
             *     }
             */
            passkey: {
                [key: string]: unknown;
            };
        };
        AddPasskeyResult: {
            passkey: components["schemas"]["Passkey"];
            /**
             * @description With the first second factor: ten codes, each of which signs in once. Otherwise null.
             * @example [
             *       "ABCD-EFGH-2345-6723"
             *     ]
             */
            recovery_codes: string[] | null;
        };
        RenamePasskeyRequest: {
            /**
             * @description A name for the passkey.
             * @example Laptop at the counter
             */
            name: string;
        };
        RemovePasskeyRequest: {
            second_factor?: components["schemas"]["FreshFactor"];
        } | null;
        RemovePasskeyResult: {
            /** @enum {string} */
            status: "removed";
        };
        StartTotpRequest: {
            second_factor?: components["schemas"]["FreshFactor"];
            /**
             * @description 12 to 1000 characters; only its argon2id hash is kept.
             * @example correct horse battery staple
             */
            current_password?: string;
        } | null;
        StartTotpResult: {
            /**
             * @description The key in base32, to type into the app.
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            key: string;
            /**
             * @description The key as an `otpauth:` address, to show as a QR code.
             * @example otpauth://totp/Karat:ops%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Karat
             */
            uri: string;
        };
        ConfirmTotpRequest: {
            /**
             * @description Six digits that the app shows.
             * @example 492039
             */
            totp_code: string;
        };
        ConfirmTotpResult: {
            /**
             * @description With the first second factor: ten codes, each of which signs in once. Otherwise null.
             * @example [
             *       "ABCD-EFGH-2345-6723"
             *     ]
             */
            recovery_codes: string[] | null;
        };
        RemoveTotpRequest: {
            second_factor?: components["schemas"]["FreshFactor"];
        } | null;
        RemoveTotpResult: {
            /** @enum {string} */
            status: "removed";
        };
        RenewRecoveryCodesRequest: {
            second_factor?: components["schemas"]["FreshFactor"];
        } | null;
        RenewRecoveryCodesResult: {
            /**
             * @description Ten codes, each of which signs in once.
             * @example [
             *       "ABCD-EFGH-2345-6723"
             *     ]
             */
            recovery_codes: string[];
        };
        Member: {
            /**
             * @description Id of the member, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            member_id: string;
            /**
             * @description Email of the member, in lower case.
             * @example sana@acme.example
             */
            email: string;
            /**
             * @description Name of the member.
             * @example Sana Malik
             */
            name: string;
            /**
             * @description What the member may do.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "developer" | "finance" | "viewer";
            /**
             * @description A member who was removed stays so.
             * @example active
             * @enum {string}
             */
            status: "active" | "removed";
            /**
             * @description Last request in the portal; null without one.
             * @example 2026-02-14T09:30:00.000Z
             */
            last_seen_at: string | null;
        };
        ListMembersResult: {
            members: components["schemas"]["Member"][];
        };
        MemberAuditEntry: {
            /**
             * Format: int64
             * @description Number of the entry.
             * @example 1042
             */
            seq: number;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /**
             * @description Null where no member was signed in, such as for a failed sign-in.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            member_id: string | null;
            /**
             * @description Name of the member.
             * @example Sana Malik
             */
            member_name: string | null;
            /**
             * @description What was done.
             * @example member.invite
             */
            action: string;
            /**
             * @description Kind of the object.
             * @example invitation
             */
            object_type: string;
            /**
             * @description Id of the object.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            object_id: string;
            /**
             * @description State before; null if none.
             * @example null
             */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description State after; null if none.
             * @example null
             */
            after: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `x-request-id` of the request.
             * @example null
             */
            request_id: string | null;
        };
        ListMemberAuditResult: {
            entries: components["schemas"]["MemberAuditEntry"][];
            /**
             * @description Cursor of the next page; null on the last one.
             * @example null
             */
            next_cursor: string | null;
        };
        ChangeMemberRequest: {
            /**
             * @description Name of the member.
             * @example Sana Malik
             */
            name?: string;
            /**
             * @description What the member may do.
             * @example developer
             * @enum {string}
             */
            role?: "owner" | "developer" | "finance" | "viewer";
        };
        Invitation: {
            /**
             * @description Id of the invitation, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            invitation_id: string;
            /**
             * @description Email of the member, in lower case.
             * @example sana@acme.example
             */
            email: string;
            /**
             * @description What the member may do.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "developer" | "finance" | "viewer";
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When the link expires: after 72 hours.
             * @example 2026-02-17T09:30:00.000Z
             */
            expires_at: string;
        };
        ListInvitationsResult: {
            invitations: components["schemas"]["Invitation"][];
        };
        InviteMemberRequest: {
            /**
             * @description Email of the member, in lower case.
             * @example sana@acme.example
             */
            email: string;
            /**
             * @description What the member may do.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "developer" | "finance" | "viewer";
        };
        IssuedInvitation: {
            /**
             * @description Id of the invitation, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            invitation_id: string;
            /**
             * @description The link that makes a member, once; never shown again. Pass it to the person who was invited.
             * @example https://api.karat.example/portal/invitation#9f2c4b7e0d1a385660b1f2e3c4d5a697
             */
            url: string;
            /**
             * @description When the link expires: after 72 hours.
             * @example 2026-02-17T09:30:00.000Z
             */
            expires_at: string;
        };
        WithdrawInvitationResult: {
            /**
             * @description Id of the invitation, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            invitation_id: string;
            /** @enum {string} */
            status: "withdrawn";
        };
        AcceptInvitationRequest: {
            /**
             * @description What stands behind the `#` of the link.
             * @example 9f2c4b7e0d1a385660b1f2e3c4d5a697
             */
            token: string;
            /**
             * @description Name of the member.
             * @example Sana Malik
             */
            name: string;
            /**
             * @description At least 12 characters.
             * @example correct horse battery staple
             */
            password: string;
        };
        AcceptedMember: {
            /**
             * @description Id of the member, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            member_id: string;
            /**
             * @description Email of the member, in lower case.
             * @example sana@acme.example
             */
            email: string;
            /**
             * @description Name of the member.
             * @example Sana Malik
             */
            name: string;
            /**
             * @description What the member may do.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "developer" | "finance" | "viewer";
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
        };
        PartnerLimits: {
            /**
             * Format: int64
             * @description Reads (GET) that a key may make in a minute, and as many writes.
             * @example 600
             */
            requests_per_minute: number;
            /**
             * Format: double
             * @description The smallest trade that your terms allow; null for any. USDC.
             * @example 5
             */
            min_trade_usdc: number | null;
            /**
             * Format: double
             * @description The largest trade that the on-chain program accepts; null for any, and while that is not known. USDC.
             * @example 1000000
             */
            max_trade_usdc: number | null;
        };
        OwnKey: {
            /**
             * @description Id of the key, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            key_id: string;
            /**
             * @description A name for the key.
             * @example production
             */
            key_name: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        Me: {
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
            /**
             * @description Name of the partner.
             * @example Acme Gold
             */
            name: string;
            /**
             * @description `suspended` if trades are stopped, by the service or on chain.
             * @example active
             * @enum {string}
             */
            status: "active" | "suspended";
            /**
             * @description Since when you are a partner; UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @description Active wallets of the partner. */
            wallets: string[];
            /**
             * @description Address of the partner's account in the on-chain program; null if you are not set up on chain.
             * @example 8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj
             */
            integrator_address: string | null;
            /**
             * Format: int64
             * @description Fee of trades while the market is open, in basis points; null if you are not set up on chain.
             * @example 50
             */
            open_fee_bps: number | null;
            /**
             * Format: int64
             * @description Fee of trades while the market is closed, in basis points; null if you are not set up on chain.
             * @example 150
             */
            closed_fee_bps: number | null;
            /**
             * Format: double
             * @description Fee of redemptions, as a fraction: 0.015 is 1.5 %.
             * @example 0.015
             */
            fee_percentage: number;
            limits: components["schemas"]["PartnerLimits"];
            /** @description The key of the request; null for a session of the portal. */
            key: components["schemas"]["OwnKey"] | null;
        };
        TokenDecimals: {
            /**
             * Format: int64
             * @description Decimals of USDC.
             * @example 6
             */
            usdc: number;
            /**
             * Format: int64
             * @description Decimals of GOLD.
             * @example 6
             */
            gold: number;
        };
        SolanaNetwork: {
            /**
             * @description The Solana network, by its genesis hash; `localnet` is any that is not public.
             * @example mainnet-beta
             * @enum {string}
             */
            network: "mainnet-beta" | "devnet" | "testnet" | "localnet";
            /**
             * @description Hash of the first block of the network.
             * @example 5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d
             */
            genesis_hash: string;
            /**
             * @description Address of Karat's on-chain program.
             * @example 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin
             */
            program_id: string;
            /**
             * @description Mint of USDC.
             * @example EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v
             */
            usdc_mint: string;
            /**
             * @description Mint of GOLD.
             * @example GoLDppdjB1vDTPSGxyMJFqdnj134yH6Prg9eqsGDiw6A
             */
            gold_mint: string;
            /**
             * @description Addresses of which one is the fee payer of each quote: one, or two while keys are replaced.
             * @example [
             *       "9QgXqrgdbVU8KcpfskqJpAXKzbaYQJecgMAruSWoXDkM"
             *     ]
             */
            service_signers: string[];
            decimals: components["schemas"]["TokenDecimals"];
            /**
             * @description Page of an explorer about a transaction: replace `{signature}` by its `tx_hash`.
             * @example https://explorer.solana.com/tx/{signature}
             */
            explorer_url_template: string;
        };
        IdType: {
            /**
             * @description `id_type` of `kyc_data`.
             * @example cnic
             */
            id_type: string;
            /**
             * @description Regular expression in the syntax of RE2 that the whole `id_number` must match.
             * @example \d{5}-\d{7}-\d
             */
            pattern: string;
            /**
             * @description A number that matches; null if none was given.
             * @example 42101-1234567-1
             */
            example: string | null;
        };
        Country: {
            /**
             * @description ISO 3166-1 alpha-2 code of an active country of the service, in upper or lower case.
             * @example PK
             */
            code: string;
            /**
             * @description Name of the country.
             * @example Pakistan
             */
            name: string;
            /** @description Identity documents whose numbers are checked. */
            id_types: components["schemas"]["IdType"][];
            /**
             * Format: int64
             * @description How many bars and coins can be picked up there.
             * @example 6
             */
            denominations: number;
        };
        ListCountriesResult: {
            countries: components["schemas"]["Country"][];
        };
        TokenMetadata: {
            /**
             * @description Name of the token, as on the chain.
             * @example Karat Gold
             */
            name: string;
            /**
             * @description Symbol of the token, as on the chain.
             * @example GOLD
             */
            symbol: string;
            /**
             * @description What one token stands for.
             * @example One GOLD stands for one troy ounce (31.1034768 g) of fine gold in a vault.
             */
            description: string;
            /**
             * @description Address of the logo.
             * @example https://api.example.com/token/gold.svg
             */
            image: string;
        };
        Limit: {
            /**
             * @description Which limit it is, as refusals name it: `partner_daily_usdc`, `partner_daily_gold`, `user_daily_usdc`, `user_daily_gold`, `chain_daily_usdc`, `fee_budget`, `partner_reads`, `partner_writes`, `key_reads`, `key_writes`, `member_reads`, `member_writes`, `webhook_endpoints`, `partner_streams`, `key_streams` or `member_streams`; those of a member are for sessions.
             * @example partner_daily_gold
             */
            name: string;
            /**
             * @description What is counted.
             * @example GOLD
             * @enum {string}
             */
            unit: "USDC" | "GOLD" | "SOL" | "requests" | "webhook endpoints" | "streams";
            /**
             * Format: int64
             * @description How long what is used counts; null for what counts as long as it is there.
             * @example 86400
             */
            period_seconds: number | null;
            /**
             * Format: double
             * @description What counts now; null for a limit of each user.
             * @example 12.5
             */
            used: number | null;
            /**
             * Format: double
             * @description What open quotes may still move; 0 where quotes do not count.
             * @example 0.5
             */
            reserved: number;
            /**
             * Format: double
             * @description The most; null if there is no limit.
             * @example 100
             */
            limit: number | null;
            /**
             * Format: double
             * @description What is left; null if there is no limit, or it is of each user.
             * @example 87
             */
            left: number | null;
            /**
             * @description When what was used first is free again, and for `fee_budget` all of it; null if nothing is used, or it does not end by itself.
             * @example 2026-03-02T09:00:00.000Z
             */
            resets_at: string | null;
        };
        ListLimitsResult: {
            limits: components["schemas"]["Limit"][];
        };
        Price: {
            /**
             * Format: double
             * @description USD per troy ounce, at most 8 decimals.
             * @example 4100.12
             */
            price_per_troy_oz: number;
            /**
             * Format: double
             * @description Half the width of the confidence interval of the price, in USD.
             * @example 0.8
             */
            confidence: number;
            /**
             * @description When the price was published.
             * @example 2026-03-01T12:00:00.000Z
             */
            as_of: string;
            /**
             * Format: int64
             * @description Seconds since then.
             * @example 1
             */
            age_seconds: number;
            /**
             * @description Whether gold is traded; while it is not, other fees apply.
             * @example open
             * @enum {string}
             */
            market: "open" | "closed";
            /**
             * Format: int64
             * @description Your fee in basis points in this state of the market; null if you are not set up on chain.
             * @example 50
             */
            fee_bps: number | null;
            /**
             * @description When the market opens or closes next; null if no change is known.
             * @example 2026-03-01T22:00:00.000Z
             */
            next_change_at: string | null;
        };
        Candle: {
            /**
             * @description Beginning of the candle.
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /**
             * Format: double
             * @description First price, USD per troy ounce.
             * @example 4100.12
             */
            open: number;
            /**
             * Format: double
             * @description Highest price.
             * @example 4103.5
             */
            high: number;
            /**
             * Format: double
             * @description Lowest price.
             * @example 4098.75
             */
            low: number;
            /**
             * Format: double
             * @description Last price.
             * @example 4101.3
             */
            close: number;
        };
        Closure: {
            /**
             * @description When the market closes, or the beginning of the range.
             * @example 2026-03-06T22:00:00.000Z
             */
            from: string;
            /**
             * @description When it opens again, or the end of the range.
             * @example 2026-03-08T22:00:00.000Z
             */
            to: string;
        };
        ListPriceHistoryResult: {
            candles: components["schemas"]["Candle"][];
            /**
             * @description Length of a candle: a minute, five minutes, an hour or a day of UTC.
             * @example 1h
             * @enum {string}
             */
            interval: "1m" | "5m" | "1h" | "1d";
            closures: components["schemas"]["Closure"][];
        };
        CreateUserRequest: {
            /**
             * @description The partner's own id for the user; unique within the partner.
             * @example customer-1042
             */
            user_id: string;
            /**
             * @description Public key of the user, base58; a wallet can belong to only one user.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            wallet_address: string;
            kyc: {
                /**
                 * @description ISO 3166-1 alpha-2 code of an active country of the service, in upper or lower case.
                 * @example PK
                 */
                country: string;
                /**
                 * @description Name of the user.
                 * @example Ayesha Khan
                 */
                full_name: string;
                /**
                 * @description Who checked the user: any text, kept exactly as it is.
                 * @example sumsub
                 */
                kyc_provider: string;
                /**
                 * @description Only `full` is accepted.
                 * @example full
                 */
                kyc_level: string;
                /**
                 * @description When the check was completed: an ISO 8601 date and time with an offset, basic or extended, not in the future.
                 * @example 2026-02-27T09:30:00.000Z
                 */
                kyc_verified_at: string;
                /**
                 * @description Anything else about the check. An `id_number` must match the pattern that is registered for its `id_type` and the country, if there is one.
                 * @example {
                 *       "id_type": "cnic",
                 *       "id_number": "42101-1234567-1"
                 *     }
                 */
                kyc_data?: {
                    [key: string]: unknown;
                };
            };
        };
        CreatedUser: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * @description The partner's own id for the user; unique within the partner.
             * @example customer-1042
             */
            user_id: string;
            /**
             * @description Public key of the user, base58; a wallet can belong to only one user.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            wallet_address: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        User: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * @description The partner's own id for the user; unique within the partner.
             * @example customer-1042
             */
            user_id: string;
            /**
             * @description Public key of the user, base58; a wallet can belong to only one user.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            wallet_address: string;
            /**
             * @description `active` or `suspended`; a suspended user gets no quotes.
             * @example active
             * @enum {string}
             */
            status: "active" | "suspended";
            /**
             * @description ISO 3166-1 alpha-2 code of an active country of the service, in upper or lower case.
             * @example PK
             */
            country?: string;
            /**
             * @description Only `full` is accepted.
             * @example full
             */
            kyc_level?: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        ListUsersResult: {
            users: components["schemas"]["User"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        Kyc: {
            /**
             * @description ISO 3166-1 alpha-2 code of an active country of the service, in upper or lower case.
             * @example PK
             */
            country: string;
            /**
             * @description Name of the user.
             * @example Ayesha Khan
             */
            full_name: string;
            /**
             * @description Who checked the user: any text, kept exactly as it is.
             * @example sumsub
             */
            kyc_provider: string;
            /**
             * @description Only `full` is accepted.
             * @example full
             */
            kyc_level: string;
            /**
             * @description When the check was completed: an ISO 8601 date and time with an offset, basic or extended, not in the future.
             * @example 2026-02-27T09:30:00.000Z
             */
            kyc_verified_at: string;
            /**
             * @description Anything else about the check. An `id_number` must match the pattern that is registered for its `id_type` and the country, if there is one.
             * @example {
             *       "id_type": "cnic",
             *       "id_number": "42101-1234567-1"
             *     }
             */
            kyc_data?: {
                [key: string]: unknown;
            };
        };
        UserWithKyc: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * @description The partner's own id for the user; unique within the partner.
             * @example customer-1042
             */
            user_id: string;
            /**
             * @description Public key of the user, base58; a wallet can belong to only one user.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            wallet_address: string;
            /**
             * @description `active` or `suspended`; a suspended user gets no quotes.
             * @example active
             * @enum {string}
             */
            status: "active" | "suspended";
            /**
             * @description ISO 3166-1 alpha-2 code of an active country of the service, in upper or lower case.
             * @example PK
             */
            country?: string;
            /**
             * @description Only `full` is accepted.
             * @example full
             */
            kyc_level?: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            kyc?: components["schemas"]["Kyc"];
        };
        TokenAccounts: {
            /**
             * @description Address of the user's token account for GOLD; null if there is none that the wallet owns.
             * @example 3emsAVdmGKERbHjmGfQ6oZ1e35dkf5iYcS6U4CPKFVaa
             */
            gold: string | null;
            /**
             * @description Address of the user's token account for USDC; null if there is none that the wallet owns.
             * @example 7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi
             */
            usdc: string | null;
            /**
             * @description Tokens whose account of this wallet belongs to another wallet now: trades in them fail until its owner gives it back or closes it.
             * @example []
             */
            owned_by_others: ("gold" | "usdc")[];
        };
        Balances: {
            /**
             * @description Public key of the user, base58; a wallet can belong to only one user.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            wallet_address: string;
            /**
             * Format: double
             * @description What the wallet holds. GOLD.
             * @example 1.25
             */
            gold: number;
            /**
             * Format: double
             * @description What the wallet holds. USDC.
             * @example 250.5
             */
            usdc: number;
            /**
             * Format: double
             * @description What the wallet holds, SOL.
             * @example 0.05
             */
            sol: number;
            token_accounts: components["schemas"]["TokenAccounts"];
        };
        QuoteBuyByUsdcAmount: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * Format: int64
             * @description How far the price may move against the user before the trade fails, in basis points. Defaults to 50.
             * @example 50
             */
            slippage_bps?: number;
            /**
             * Format: double
             * @description Amount that the user pays, fee included; more than 0. This or `gold_amount` is required. USDC.
             * @example 100
             */
            usdc_amount: number;
            /**
             * Format: double
             * @description The least that the user accepts; replaces `slippage_bps`. Above `max_gold_out` no price meets it. GOLD.
             * @example 0.024145
             */
            min_gold_out?: number;
        };
        QuoteBuyByGoldAmount: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * Format: int64
             * @description How far the price may move against the user before the trade fails, in basis points. Defaults to 50.
             * @example 50
             */
            slippage_bps?: number;
            /**
             * Format: double
             * @description Instead of `usdc_amount`, the amount that the user wants; more than 0. The quote has the smallest `usdc_amount` for which the expected amount is at least that. GOLD.
             * @example 0.5
             */
            gold_amount: number;
            /**
             * Format: double
             * @description The least that the user accepts; replaces `slippage_bps`. Above `max_gold_out` no price meets it. GOLD.
             * @example 0.024145
             */
            min_gold_out?: number;
        };
        QuoteBuyRequest: components["schemas"]["QuoteBuyByUsdcAmount"] | components["schemas"]["QuoteBuyByGoldAmount"];
        QuoteBuyResult: {
            /**
             * @description Id of the trade, prefixed `trd_`.
             * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            trade_id: string;
            /** @enum {string} */
            side: "buy";
            quote: {
                /**
                 * Format: double
                 * @description As requested; for a `gold_amount`, the smallest that is expected to give it. USDC.
                 * @example 100
                 */
                usdc_amount: number;
                /**
                 * Format: double
                 * @description Expected amount at the current price, rounded down. GOLD.
                 * @example 0.024267
                 */
                gold_amount: number;
                /**
                 * Format: double
                 * @description USD per troy ounce, at most 8 decimals.
                 * @example 4100.12
                 */
                price_per_troy_oz: number;
                /**
                 * Format: int64
                 * @description The partner's fee in basis points (1/100 of a percent).
                 * @example 50
                 */
                fee_bps: number;
                /**
                 * Format: double
                 * @description Deducted before the swap, rounded up. USDC.
                 * @example 0.5
                 */
                fee_usd: number;
                /**
                 * Format: double
                 * @description Below this the transaction fails. GOLD.
                 * @example 0.024145
                 */
                min_gold_out: number;
                /**
                 * Format: double
                 * @description Above this the transaction fails (`price_moved`). GOLD.
                 * @example 0.024509
                 */
                max_gold_out: number;
            };
            /**
             * @description Base64 of the transaction, signed by the service. The other signers sign the same bytes.
             * @example AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
             */
            partially_signed_transaction: string;
            /**
             * @description When the transaction can no longer land.
             * @example 2026-03-01T12:01:00.000Z
             */
            expires_at: string;
            /**
             * Format: int64
             * @description Block height after which it can no longer land.
             * @example 371204915
             */
            last_valid_block_height: number;
        };
        QuoteSellByGoldAmount: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * Format: int64
             * @description How far the price may move against the user before the trade fails, in basis points. Defaults to 50.
             * @example 50
             */
            slippage_bps?: number;
            /**
             * Format: double
             * @description Amount that the user sells; more than 0. This or `usdc_amount` is required. GOLD.
             * @example 0.5
             */
            gold_amount: number;
            /**
             * Format: double
             * @description The least that the user accepts; replaces `slippage_bps`. Above `max_usdc_out` no price meets it. USDC.
             * @example 2029.610651
             */
            min_usdc_out?: number;
        };
        QuoteSellByUsdcAmount: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * Format: int64
             * @description How far the price may move against the user before the trade fails, in basis points. Defaults to 50.
             * @example 50
             */
            slippage_bps?: number;
            /**
             * Format: double
             * @description Instead of `gold_amount`, the amount that the user wants after the fee; more than 0. The quote has the smallest `gold_amount` for which the expected amount is at least that. USDC.
             * @example 1000
             */
            usdc_amount: number;
            /**
             * Format: double
             * @description The least that the user accepts; replaces `slippage_bps`. Above `max_usdc_out` no price meets it. USDC.
             * @example 2029.610651
             */
            min_usdc_out?: number;
        };
        QuoteSellRequest: components["schemas"]["QuoteSellByGoldAmount"] | components["schemas"]["QuoteSellByUsdcAmount"];
        QuoteSellResult: {
            /**
             * @description Id of the trade, prefixed `trd_`.
             * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            trade_id: string;
            /** @enum {string} */
            side: "sell";
            quote: {
                /**
                 * Format: double
                 * @description As requested; for a `usdc_amount`, the smallest that is expected to give it. GOLD.
                 * @example 0.5
                 */
                gold_amount: number;
                /**
                 * Format: double
                 * @description Expected amount at the current price, after the fee. USDC.
                 * @example 2039.8097
                 */
                usdc_amount: number;
                /**
                 * Format: double
                 * @description USD per troy ounce, at most 8 decimals.
                 * @example 4100.12
                 */
                price_per_troy_oz: number;
                /**
                 * Format: int64
                 * @description The partner's fee in basis points (1/100 of a percent).
                 * @example 50
                 */
                fee_bps: number;
                /**
                 * Format: double
                 * @description Deducted from the output, rounded up. USDC.
                 * @example 10.2503
                 */
                fee_usd: number;
                /**
                 * Format: double
                 * @description Below this the transaction fails. USDC.
                 * @example 2029.610651
                 */
                min_usdc_out: number;
                /**
                 * Format: double
                 * @description Above this the transaction fails (`price_moved`). USDC.
                 * @example 2060.207797
                 */
                max_usdc_out: number;
            };
            /**
             * @description Base64 of the transaction, signed by the service. The other signers sign the same bytes.
             * @example AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
             */
            partially_signed_transaction: string;
            /**
             * @description When the transaction can no longer land.
             * @example 2026-03-01T12:01:00.000Z
             */
            expires_at: string;
            /**
             * Format: int64
             * @description Block height after which it can no longer land.
             * @example 371204915
             */
            last_valid_block_height: number;
        };
        SubmitBuyRequest: {
            /**
             * @description Base64 of the quote's transaction, signed by all of its signers.
             * @example AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
             */
            signed_tx: string;
        };
        SubmitBuyResult: {
            /**
             * @description Id of the trade, prefixed `trd_`.
             * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            trade_id: string;
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            tx_hash: string;
        };
        SubmitSellRequest: {
            /**
             * @description Base64 of the quote's transaction, signed by all of its signers.
             * @example AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
             */
            signed_tx: string;
        };
        SubmitSellResult: {
            /**
             * @description Id of the trade, prefixed `trd_`.
             * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            trade_id: string;
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            tx_hash: string;
        };
        Trade: {
            /**
             * @description Id of the trade, prefixed `trd_`.
             * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            trade_id: string;
            /**
             * @description `buy` or `sell`.
             * @example buy
             * @enum {string}
             */
            side: "buy" | "sell";
            /**
             * @description `confirmed`, or `failed` when the transaction reverted, which is final.
             * @example confirmed
             * @enum {string}
             */
            status: "confirmed" | "failed";
            /**
             * Format: double
             * @description Paid on a buy, received on a sell. USDC.
             * @example 100
             */
            usdc_amount: number;
            /**
             * Format: double
             * @description Received on a buy, paid on a sell. GOLD.
             * @example 0.024267
             */
            gold_amount: number;
            /**
             * Format: double
             * @description USD per troy ounce, at most 8 decimals.
             * @example 4100.12
             */
            price_per_troy_oz: number;
            /**
             * Format: int64
             * @description The partner's fee in basis points (1/100 of a percent).
             * @example 50
             */
            fee_bps: number;
            /**
             * Format: double
             * @description Fee. USDC.
             * @example 0.5
             */
            fee_usd: number;
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            submitted_tx_hash: string;
            /**
             * @description Why it failed, for programs to act on; of a failed one only.
             * @example slippage_exceeded
             * @enum {string}
             */
            reason?: "quote_expired" | "slippage_exceeded" | "price_moved" | "insufficient_usdc" | "insufficient_gold" | "token_account_missing" | "signature_missing" | "signature_invalid" | "transaction_altered" | "other_quote" | "malformed" | "trading_paused" | "market_closed" | "price_unavailable" | "limit_exceeded" | "partner_suspended" | "treasury_short" | "node_unavailable" | "program_error" | "price_stale" | "price_unreachable" | "price_out_of_band" | "wallet_not_allowed" | "usdc_off_peg" | "not_backed" | "opposite_side_too_early" | "treasury_paused" | "fee_budget_used" | "request_limit_reached";
            /**
             * @description Name of the error of the program on chain that refused it.
             * @example SlippageExceeded
             */
            program_error_name?: string;
            /**
             * @description What happened and what to do next, for people; of a failed one only.
             * @example SlippageExceeded: The output is below the accepted minimum, or the input above the accepted maximum. The price is beyond what the quote accepts: request a new quote.
             */
            message?: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
        };
        ListTradesResult: {
            trades: components["schemas"]["Trade"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        Denomination: {
            /**
             * @description Id of the denomination, from the list of denominations.
             * @example pk_tola_1
             */
            id: string;
            /**
             * @description Label of the denomination.
             * @example 1 tola bar
             */
            label: string;
            /**
             * Format: double
             * @description Grams.
             * @example 11.6638038
             */
            weight_g: number;
            /**
             * Format: double
             * @description Troy ounces, rounded to 6 decimals.
             * @example 0.375
             */
            weight_troy_oz: number;
            /**
             * @description City of the pickup.
             * @example Karachi
             */
            city: string;
            /**
             * @description `in_stock` if a bar is there that no redemption waits for; `on_order` if one has to be brought first.
             * @example in_stock
             * @enum {string}
             */
            availability: "in_stock" | "on_order";
        };
        ListDenominationsResult: {
            denominations: components["schemas"]["Denomination"][];
        };
        QuoteRedemptionRequest: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * @description Id of the denomination, from the list of denominations.
             * @example pk_tola_1
             */
            denomination_id: string;
            /**
             * @description City of the pickup, which must be the city of the denomination; upper and lower case are equal.
             * @example Karachi
             */
            city: string;
        };
        QuoteRedemptionResult: {
            /**
             * @description Id of the redemption, prefixed `red_`.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            redemption_id: string;
            quote: {
                /**
                 * @description Label of the denomination.
                 * @example 1 tola bar
                 */
                denomination: string;
                /**
                 * Format: double
                 * @description Grams.
                 * @example 11.6638038
                 */
                weight_g: number;
                /**
                 * Format: double
                 * @description USD per troy ounce at the time of the quote.
                 * @example 4100.12
                 */
                spot_price_usd: number;
                /**
                 * Format: double
                 * @description Value of the gold at that price.
                 * @example 1537.545
                 */
                gold_value_usd: number;
                /**
                 * Format: double
                 * @description The partner's `fee_percentage` of `gold_value_usd`.
                 * @example 23.063175
                 */
                fee_usd: number;
                /**
                 * Format: double
                 * @description `gold_value_usd` plus `fee_usd`: what `tokens_required` are worth.
                 * @example 1560.608175
                 */
                total_usd: number;
                /**
                 * @description GOLD that the user pays, with 6 decimals. Tokens, not dollars.
                 * @example 0.380625
                 */
                tokens_required: string;
            };
            /**
             * @description Base64 of the transaction, signed by the service. The other signers sign the same bytes.
             * @example AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
             */
            partially_signed_transaction: string;
            /**
             * @description When the transaction can no longer land.
             * @example 2026-03-01T12:01:00.000Z
             */
            expires_at: string;
            /**
             * Format: int64
             * @description Block height after which it can no longer land.
             * @example 371204915
             */
            last_valid_block_height: number;
        };
        RedemptionFigures: {
            /**
             * Format: double
             * @description USD per troy ounce at the time of the quote.
             * @example 4100.12
             */
            spot_price_usd: number;
            /**
             * Format: double
             * @description Value of the gold at that price.
             * @example 1537.545
             */
            gold_value_usd: number;
            /**
             * Format: double
             * @description The partner's `fee_percentage` of `gold_value_usd`.
             * @example 23.063175
             */
            fee_usd: number;
            /**
             * Format: double
             * @description `gold_value_usd` plus `fee_usd`: what `tokens_required` are worth.
             * @example 1560.608175
             */
            total_usd: number;
            /**
             * @description GOLD that the user pays, with 6 decimals. Tokens, not dollars.
             * @example 0.380625
             */
            tokens_required: string;
        };
        Redemption: {
            /**
             * @description Id of the redemption, prefixed `red_`.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            redemption_id: string;
            /**
             * @description `submitted`, `preparing`, `ready`, `collected`, `cancellation_requested`, `cancelled` or `failed`.
             * @example submitted
             * @enum {string}
             */
            status: "submitted" | "preparing" | "ready" | "collected" | "cancellation_requested" | "cancelled" | "failed";
            /**
             * @description Label of the denomination.
             * @example 1 tola bar
             */
            denomination: string;
            /**
             * Format: double
             * @description Grams.
             * @example 11.6638038
             */
            weight_g: number;
            /**
             * @description City of the pickup.
             * @example Karachi
             */
            city: string;
            quote: components["schemas"]["RedemptionFigures"];
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            submitted_tx_hash: string | null;
            /**
             * @description Why it failed, for programs to act on; of a failed one only.
             * @example slippage_exceeded
             * @enum {string}
             */
            reason?: "quote_expired" | "slippage_exceeded" | "price_moved" | "insufficient_usdc" | "insufficient_gold" | "token_account_missing" | "signature_missing" | "signature_invalid" | "transaction_altered" | "other_quote" | "malformed" | "trading_paused" | "market_closed" | "price_unavailable" | "limit_exceeded" | "partner_suspended" | "treasury_short" | "node_unavailable" | "program_error" | "price_stale" | "price_unreachable" | "price_out_of_band" | "wallet_not_allowed" | "usdc_off_peg" | "not_backed" | "opposite_side_too_early" | "treasury_paused" | "fee_budget_used" | "request_limit_reached";
            /**
             * @description Name of the error of the program on chain that refused it.
             * @example SlippageExceeded
             */
            program_error_name?: string;
            /**
             * @description What happened and what to do next, for people; of a failed one only.
             * @example SlippageExceeded: The output is below the accepted minimum, or the input above the accepted maximum. The price is beyond what the quote accepts: request a new quote.
             */
            message?: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
        };
        ListRedemptionsResult: {
            redemptions: components["schemas"]["Redemption"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        SubmitRedemptionRequest: {
            /**
             * @description Base64 of the quote's transaction, signed by all of its signers.
             * @example AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
             */
            signed_tx: string;
        };
        SubmitRedemptionResult: {
            /**
             * @description Id of the redemption, prefixed `red_`.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            redemption_id: string;
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            tx_hash: string;
        };
        CancelRedemptionRequest: {
            /**
             * @description The reason; shown in the record.
             * @example The customer moved to another city.
             */
            reason?: string;
        } | null;
        CancelRedemptionResult: {
            /**
             * @description Id of the redemption, prefixed `red_`.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            redemption_id: string;
            /** @enum {string} */
            status: "cancellation_requested";
        };
        CollectedBar: {
            /**
             * @description Refiner stamped on the bar.
             * @example Valcambi
             */
            refiner: string;
            /**
             * @description Serial number stamped on the bar.
             * @example AA123456
             */
            serial: string;
            /**
             * Format: double
             * @description Gross weight in grams.
             * @example 11.6638
             */
            weight_g: number;
            /**
             * Format: double
             * @description Parts of gold per thousand.
             * @example 999.9
             */
            fineness: number;
            /**
             * @description Path of the proof that the bar was in the reserve, from the last statement that lists it; null when no statement was made while it was held.
             * @example /v1/reserves/statements/rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10/proof?refiner=Valcambi&serial=AA123456
             */
            proof: string | null;
            /**
             * @description Path of the list of bars in the first statement after the bar was collected, which no longer contains it; null until that statement is made.
             * @example /v1/reserves/statements/rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c11/bars
             */
            left: string | null;
        };
        RedemptionWithCode: {
            /**
             * @description Id of the redemption, prefixed `red_`.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            redemption_id: string;
            /**
             * @description `submitted`, `preparing`, `ready`, `collected`, `cancellation_requested`, `cancelled` or `failed`.
             * @example submitted
             * @enum {string}
             */
            status: "submitted" | "preparing" | "ready" | "collected" | "cancellation_requested" | "cancelled" | "failed";
            /**
             * @description Label of the denomination.
             * @example 1 tola bar
             */
            denomination: string;
            /**
             * Format: double
             * @description Grams.
             * @example 11.6638038
             */
            weight_g: number;
            /**
             * @description City of the pickup.
             * @example Karachi
             */
            city: string;
            quote: components["schemas"]["RedemptionFigures"];
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            submitted_tx_hash: string | null;
            /**
             * @description Why it failed, for programs to act on; of a failed one only.
             * @example slippage_exceeded
             * @enum {string}
             */
            reason?: "quote_expired" | "slippage_exceeded" | "price_moved" | "insufficient_usdc" | "insufficient_gold" | "token_account_missing" | "signature_missing" | "signature_invalid" | "transaction_altered" | "other_quote" | "malformed" | "trading_paused" | "market_closed" | "price_unavailable" | "limit_exceeded" | "partner_suspended" | "treasury_short" | "node_unavailable" | "program_error" | "price_stale" | "price_unreachable" | "price_out_of_band" | "wallet_not_allowed" | "usdc_off_peg" | "not_backed" | "opposite_side_too_early" | "treasury_paused" | "fee_budget_used" | "request_limit_reached";
            /**
             * @description Name of the error of the program on chain that refused it.
             * @example SlippageExceeded
             */
            program_error_name?: string;
            /**
             * @description What happened and what to do next, for people; of a failed one only.
             * @example SlippageExceeded: The output is below the accepted minimum, or the input above the accepted maximum. The price is beyond what the quote accepts: request a new quote.
             */
            message?: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
            /**
             * @description The reason; shown in the record.
             * @example null
             */
            cancellation_reason: string | null;
            /**
             * @description Eight digits that the customer shows at the counter; there while the redemption is `ready`. Read it when you show it: operators can issue another one. Never in lists, events and webhooks.
             * @example 04711338
             */
            pickup_code?: string;
            /**
             * @description What the scanner at the counter reads, `karat:pickup:<redemption_id>:<code>`: show it to the customer as a QR code next to `pickup_code`, with which it comes and goes.
             * @example karat:pickup:red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10:04711338
             */
            pickup_qr?: string;
            bar?: components["schemas"]["CollectedBar"];
        };
        Event: {
            /**
             * @description Id of the event, prefixed `evt_`.
             * @example evt_019ca945-0a00-8000-8000-002a2a7e5c10
             */
            id: string;
            /**
             * Format: int64
             * @description Its number in your log: 1, 2, 3, without gaps.
             * @example 42
             */
            sequence: number;
            /**
             * @description What happened.
             * @example trade.confirmed
             * @enum {string}
             */
            type: "user.created" | "user.suspended" | "user.resumed" | "user.kyc_level_changed" | "api_key.created" | "api_key.revoked" | "trade.submitted" | "trade.confirmed" | "trade.failed" | "trade.expired" | "trade.reverted" | "redemption.submitted" | "redemption.preparing" | "redemption.ready" | "redemption.collected" | "redemption.cancellation_requested" | "redemption.cancelled" | "redemption.failed" | "redemption.refunded" | "redemption.burned" | "purchase.confirmed" | "purchase.failed" | "purchase.expired" | "sale.confirmed" | "sale.failed" | "sale.expired" | "withdrawal.confirmed" | "withdrawal.failed" | "withdrawal.expired" | "executives.changed" | "partner.suspended" | "partner.resumed" | "webhook_endpoint.disabled" | "member.invited";
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description `x-request-id` of the request that did it; null if none of the API did.
             * @example null
             */
            request_id: string | null;
            data: {
                /**
                 * @description What `object` is.
                 * @example trade
                 * @enum {string}
                 */
                object_type: "user" | "api_key" | "trade" | "operation" | "redemption" | "purchase" | "sale" | "withdrawal" | "partner" | "webhook_endpoint" | "invitation";
                /**
                 * @description What GET of the object returned at that moment.
                 * @example {
                 *       "trade_id": "trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                 *       "side": "buy",
                 *       "status": "confirmed",
                 *       "usdc_amount": 100,
                 *       "gold_amount": 0.024267
                 *     }
                 */
                object: {
                    [key: string]: unknown;
                };
            };
        };
        ListEventsResult: {
            events: components["schemas"]["Event"][];
            /**
             * @description Whether there are more behind the last one.
             * @example false
             */
            has_more: boolean;
        };
        /**
         * @description Events and comments, each followed by an empty line.
         * @example id: evt_019ca945-0a00-8000-8000-002a2a7e5c10
         *     data: {"id":"evt_019ca945-0a00-8000-8000-002a2a7e5c10","sequence":42,"type":"trade.confirmed"}
         */
        StreamEventsResult: string;
        Vault: {
            /**
             * @description Owner of what the vault holds.
             * @example 8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj
             */
            address: string;
            /**
             * @description Its token account for GOLD.
             * @example 8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj
             */
            gold_account: string;
            /**
             * @description Its token account for USDC.
             * @example 8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj
             */
            usdc_account: string;
            /**
             * Format: double
             * @description What it holds now, as far as transactions are confirmed. GOLD.
             * @example 250.5
             */
            gold: number;
            /**
             * Format: double
             * @description What it holds now, as far as transactions are confirmed. USDC.
             * @example 1000000
             */
            usdc: number;
            /**
             * @description `suspended` if trades are stopped, by the service or on chain.
             * @example active
             * @enum {string}
             */
            status: "active" | "suspended";
            executive_authorities: string[];
            /**
             * @description The wallet that may change the executive authorities.
             * @example 8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj
             */
            update_authority: string;
            /**
             * @description The wallet that may withdraw from the vault, to itself.
             * @example 8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj
             */
            withdrawal_authority: string;
        };
        OrderRecord: {
            /**
             * @description Id of the order, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            id: string;
            /**
             * @description `purchase`, `sale`, `withdrawal` or `executive_update`.
             * @example purchase
             * @enum {string}
             */
            kind: "purchase" | "sale" | "withdrawal" | "executive_update";
            /**
             * @description `pending_signature`; then `confirmed`, `failed` if the transaction reverted, or `expired` if it can no longer land: both are final. Only the chain changes it.
             * @example confirmed
             * @enum {string}
             */
            status: "pending_signature" | "confirmed" | "failed" | "expired";
            /**
             * @description Key that requested it; null for an order that reached the chain without the service.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            key_id: string | null;
            /**
             * @description Wallet that signs, and pays the network fee.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            signer: string;
            /**
             * @description Token account that receives a withdrawal.
             * @example null
             */
            destination: string | null;
            /**
             * @description Token that a withdrawal moves, `gold` or `usdc`; null for the others.
             * @example usdc
             */
            token: string | null;
            /**
             * Format: double
             * @description As requested. GOLD.
             * @example 10
             */
            gold_amount: number | null;
            /**
             * Format: double
             * @description As quoted, fee included; for a withdrawal, as requested. USDC.
             * @example 41206
             */
            usdc_amount: number | null;
            /**
             * Format: double
             * @description The most that a purchase may pay, or the least that a sale may bring. USDC.
             * @example 41500
             */
            usdc_limit: number | null;
            /**
             * Format: double
             * @description USD per troy ounce at the time of the quote.
             * @example 4100
             */
            quoted_price: number | null;
            /**
             * Format: int64
             * @description Highest fee that the transaction accepts, in basis points.
             * @example 50
             */
            max_fee_bps: number | null;
            added: string[];
            removed: string[];
            /**
             * @description Metadata of the partner, unchanged.
             * @example {
             *       "ref": "restock-7"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The transaction that landed; null until then.
             * @example null
             */
            tx_hash: string | null;
            /**
             * Format: int64
             * @description Slot of that transaction; null until then.
             * @example null
             */
            slot: number | null;
            /**
             * Format: double
             * @description Amount that moved on chain; null unless confirmed. GOLD.
             * @example 10
             */
            executed_gold: number | null;
            /**
             * Format: double
             * @description Amount that moved on chain; null unless confirmed. USDC.
             * @example 41206
             */
            executed_usdc: number | null;
            /**
             * Format: double
             * @description USD per troy ounce that the program executed at.
             * @example 4100
             */
            executed_price: number | null;
            /**
             * Format: double
             * @description Fee. USDC.
             * @example 205
             */
            fee_usdc: number | null;
            /**
             * @description Whether the transaction is final, so that the chain can no longer undo it.
             * @example true
             */
            final: boolean;
            /**
             * @description Reason why the chain rejected the transaction; null if it did not.
             * @example null
             */
            failure_reason: string | null;
            /**
             * @description Why it failed, for programs to act on; of a failed one only.
             * @example slippage_exceeded
             * @enum {string}
             */
            reason?: "quote_expired" | "slippage_exceeded" | "price_moved" | "insufficient_usdc" | "insufficient_gold" | "token_account_missing" | "signature_missing" | "signature_invalid" | "transaction_altered" | "other_quote" | "malformed" | "trading_paused" | "market_closed" | "price_unavailable" | "limit_exceeded" | "partner_suspended" | "treasury_short" | "node_unavailable" | "program_error" | "price_stale" | "price_unreachable" | "price_out_of_band" | "wallet_not_allowed" | "usdc_off_peg" | "not_backed" | "opposite_side_too_early" | "treasury_paused" | "fee_budget_used" | "request_limit_reached";
            /**
             * @description Name of the error of the program on chain that refused it.
             * @example SlippageExceeded
             */
            program_error_name?: string;
            /**
             * @description When the transaction can no longer land.
             * @example 2026-03-01T12:01:00.000Z
             */
            expires_at: string | null;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
        };
        ListOrdersResult: {
            orders: components["schemas"]["OrderRecord"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        CreateWebhookEndpointRequest: {
            /**
             * @description Where the events go: an `https` address of the internet. Its port is 443 or above 1023. A sandbox also takes `http` to its own machine.
             * @example http://127.0.0.1:3000/karat/events
             */
            url: string;
            /**
             * @description The types of events that it gets; null for all of them.
             * @example [
             *       "trade.confirmed",
             *       "trade.failed"
             *     ]
             */
            types?: string[] | null;
            /**
             * @description Your own note.
             * @example books trades
             */
            description?: string | null;
        };
        WebhookEndpointWithSecret: {
            /**
             * @description Id of the endpoint, prefixed `we_`.
             * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            endpoint_id: string;
            /**
             * @description Where the events go: an `https` address of the internet. Its port is 443 or above 1023. A sandbox also takes `http` to its own machine.
             * @example http://127.0.0.1:3000/karat/events
             */
            url: string;
            /**
             * @description The types of events that it gets; null for all of them.
             * @example [
             *       "trade.confirmed",
             *       "trade.failed"
             *     ]
             */
            types: ("user.created" | "user.suspended" | "user.resumed" | "user.kyc_level_changed" | "api_key.created" | "api_key.revoked" | "trade.submitted" | "trade.confirmed" | "trade.failed" | "trade.expired" | "trade.reverted" | "redemption.submitted" | "redemption.preparing" | "redemption.ready" | "redemption.collected" | "redemption.cancellation_requested" | "redemption.cancelled" | "redemption.failed" | "redemption.refunded" | "redemption.burned" | "purchase.confirmed" | "purchase.failed" | "purchase.expired" | "sale.confirmed" | "sale.failed" | "sale.expired" | "withdrawal.confirmed" | "withdrawal.failed" | "withdrawal.expired" | "executives.changed" | "partner.suspended" | "partner.resumed" | "webhook_endpoint.disabled" | "member.invited")[] | null;
            /**
             * @description Your own note.
             * @example books trades
             */
            description: string | null;
            /**
             * @description `active` or `disabled`; a disabled one is sent nothing.
             * @example active
             * @enum {string}
             */
            status: "active" | "disabled";
            /**
             * @description Since when every attempt has failed; null while the endpoint works.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Until when the secret before the last rotation signs, too; null if it does not.
             * @example null
             */
            previous_secret_until: string | null;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
            /**
             * @description Signs the webhooks. It is shown only once: verify `webhook-signature` with it.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret: string;
        };
        WebhookEndpoint: {
            /**
             * @description Id of the endpoint, prefixed `we_`.
             * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            endpoint_id: string;
            /**
             * @description Where the events go: an `https` address of the internet. Its port is 443 or above 1023. A sandbox also takes `http` to its own machine.
             * @example http://127.0.0.1:3000/karat/events
             */
            url: string;
            /**
             * @description The types of events that it gets; null for all of them.
             * @example [
             *       "trade.confirmed",
             *       "trade.failed"
             *     ]
             */
            types: ("user.created" | "user.suspended" | "user.resumed" | "user.kyc_level_changed" | "api_key.created" | "api_key.revoked" | "trade.submitted" | "trade.confirmed" | "trade.failed" | "trade.expired" | "trade.reverted" | "redemption.submitted" | "redemption.preparing" | "redemption.ready" | "redemption.collected" | "redemption.cancellation_requested" | "redemption.cancelled" | "redemption.failed" | "redemption.refunded" | "redemption.burned" | "purchase.confirmed" | "purchase.failed" | "purchase.expired" | "sale.confirmed" | "sale.failed" | "sale.expired" | "withdrawal.confirmed" | "withdrawal.failed" | "withdrawal.expired" | "executives.changed" | "partner.suspended" | "partner.resumed" | "webhook_endpoint.disabled" | "member.invited")[] | null;
            /**
             * @description Your own note.
             * @example books trades
             */
            description: string | null;
            /**
             * @description `active` or `disabled`; a disabled one is sent nothing.
             * @example active
             * @enum {string}
             */
            status: "active" | "disabled";
            /**
             * @description Since when every attempt has failed; null while the endpoint works.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Until when the secret before the last rotation signs, too; null if it does not.
             * @example null
             */
            previous_secret_until: string | null;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
        };
        ListWebhookEndpointsResult: {
            webhook_endpoints: components["schemas"]["WebhookEndpoint"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        ChangeWebhookEndpointRequest: {
            /**
             * @description Where the events go: an `https` address of the internet. Its port is 443 or above 1023. A sandbox also takes `http` to its own machine.
             * @example http://127.0.0.1:3000/karat/events
             */
            url?: string;
            /**
             * @description The types of events that it gets; null for all of them.
             * @example [
             *       "trade.confirmed",
             *       "trade.failed"
             *     ]
             */
            types?: string[] | null;
            /**
             * @description Your own note.
             * @example books trades
             */
            description?: string | null;
            /**
             * @description `active` or `disabled`; a disabled one is sent nothing.
             * @example active
             * @enum {string}
             */
            status?: "active" | "disabled";
        };
        DeleteWebhookEndpointResult: {
            /**
             * @description Id of the endpoint, prefixed `we_`.
             * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            endpoint_id: string;
            /**
             * @description Always true.
             * @example true
             */
            deleted: boolean;
        };
        RotateWebhookSecretRequest: {
            /**
             * Format: double
             * @description Hours for which the secret before signs, too, 0 to 72. Defaults to 24.
             * @example 24
             */
            overlap_hours?: number;
        };
        TestWebhookEndpointResult: {
            /**
             * @description Whether the endpoint responded with a status of 2xx in time.
             * @example true
             */
            delivered: boolean;
            /**
             * Format: int64
             * @description Status of the response; null without one.
             * @example 200
             */
            status_code: number | null;
            /**
             * Format: int64
             * @description How long it took.
             * @example 84
             */
            duration_ms: number;
            /**
             * @description Why it failed; null after a success.
             * @example null
             */
            error: string | null;
            /**
             * @description What was sent, JSON text.
             * @example {"type":"webhook.test"}
             */
            body: string;
            /**
             * @description The first 1 KiB of the response; null without one.
             * @example ok
             */
            response_body: string | null;
        };
        WebhookDelivery: {
            /**
             * @description Id of the delivery, prefixed `dlv_`.
             * @example dlv_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            delivery_id: string;
            /**
             * @description Id of the event, and the `webhook-id` of each attempt.
             * @example evt_019ca945-0a00-8000-8000-002a2a7e5c10
             */
            event_id: string;
            /**
             * @description Type of the event.
             * @example trade.confirmed
             * @enum {string}
             */
            type: "user.created" | "user.suspended" | "user.resumed" | "user.kyc_level_changed" | "api_key.created" | "api_key.revoked" | "trade.submitted" | "trade.confirmed" | "trade.failed" | "trade.expired" | "trade.reverted" | "redemption.submitted" | "redemption.preparing" | "redemption.ready" | "redemption.collected" | "redemption.cancellation_requested" | "redemption.cancelled" | "redemption.failed" | "redemption.refunded" | "redemption.burned" | "purchase.confirmed" | "purchase.failed" | "purchase.expired" | "sale.confirmed" | "sale.failed" | "sale.expired" | "withdrawal.confirmed" | "withdrawal.failed" | "withdrawal.expired" | "executives.changed" | "partner.suspended" | "partner.resumed" | "webhook_endpoint.disabled" | "member.invited";
            /**
             * @description `pending` while attempts follow, then `delivered` or `failed`.
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /** @description The attempts, oldest first. */
            attempts: {
                /**
                 * @description When it was made.
                 * @example 2026-03-01T12:00:00.000Z
                 */
                at: string;
                /**
                 * Format: int64
                 * @description Status of the response; null without one.
                 * @example 200
                 */
                status_code: number | null;
                /**
                 * Format: int64
                 * @description How long it took.
                 * @example 84
                 */
                duration_ms: number;
                /**
                 * @description Why it failed; null after a success.
                 * @example null
                 */
                error: string | null;
                /**
                 * @description The first 1 KiB of the response; null without one.
                 * @example ok
                 */
                response_body: string | null;
            }[];
            /**
             * @description When the next attempt is due; null if none is.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * @description When it was planned.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        ListWebhookDeliveriesResult: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        WebhookDeliveryWithBody: {
            /**
             * @description Id of the delivery, prefixed `dlv_`.
             * @example dlv_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            delivery_id: string;
            /**
             * @description Id of the event, and the `webhook-id` of each attempt.
             * @example evt_019ca945-0a00-8000-8000-002a2a7e5c10
             */
            event_id: string;
            /**
             * @description Type of the event.
             * @example trade.confirmed
             * @enum {string}
             */
            type: "user.created" | "user.suspended" | "user.resumed" | "user.kyc_level_changed" | "api_key.created" | "api_key.revoked" | "trade.submitted" | "trade.confirmed" | "trade.failed" | "trade.expired" | "trade.reverted" | "redemption.submitted" | "redemption.preparing" | "redemption.ready" | "redemption.collected" | "redemption.cancellation_requested" | "redemption.cancelled" | "redemption.failed" | "redemption.refunded" | "redemption.burned" | "purchase.confirmed" | "purchase.failed" | "purchase.expired" | "sale.confirmed" | "sale.failed" | "sale.expired" | "withdrawal.confirmed" | "withdrawal.failed" | "withdrawal.expired" | "executives.changed" | "partner.suspended" | "partner.resumed" | "webhook_endpoint.disabled" | "member.invited";
            /**
             * @description `pending` while attempts follow, then `delivered` or `failed`.
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /** @description The attempts, oldest first. */
            attempts: {
                /**
                 * @description When it was made.
                 * @example 2026-03-01T12:00:00.000Z
                 */
                at: string;
                /**
                 * Format: int64
                 * @description Status of the response; null without one.
                 * @example 200
                 */
                status_code: number | null;
                /**
                 * Format: int64
                 * @description How long it took.
                 * @example 84
                 */
                duration_ms: number;
                /**
                 * @description Why it failed; null after a success.
                 * @example null
                 */
                error: string | null;
                /**
                 * @description The first 1 KiB of the response; null without one.
                 * @example ok
                 */
                response_body: string | null;
            }[];
            /**
             * @description When the next attempt is due; null if none is.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * @description When it was planned.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description The body that each attempt sends, JSON text; `[redacted]` stands for a `kyc` in it. Null when the event is no longer kept.
             * @example {"id":"evt_42","type":"trade.confirmed"}
             */
            body: string | null;
        };
        ResendWebhookEventsRequest: {
            /**
             * @description Id of an event of your log.
             * @example evt_019ca945-0a00-8000-8000-002a2a7e5c10
             */
            event_id?: string;
            /**
             * @description Ids of events of your log, at most 100; not with `event_id`.
             * @example [
             *       "evt_019ca945-0a00-8000-8000-002a2a7e5c10"
             *     ]
             */
            event_ids?: string[];
            /**
             * @description Events from this time on, ISO 8601; not with `event_id`.
             * @example 2026-03-01T12:00:00.000Z
             */
            from?: string;
            /**
             * @description Events up to this time, ISO 8601; not with `event_id`.
             * @example 2026-03-01T13:00:00.000Z
             */
            to?: string;
        };
        ResendWebhookEventsResult: {
            /**
             * Format: int64
             * @description Events that are sent again.
             * @example 1
             */
            resent: number;
        };
        LoggedRequest: {
            /**
             * @description Id of the logged request, prefixed `req_`.
             * @example req_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            request_id: string;
            /**
             * @description When the request came; UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description Method of HTTP.
             * @example POST
             */
            method: string;
            /**
             * @description Path without the query; what is not an id of Karat is `[redacted]`.
             * @example /v1/buy
             */
            path: string;
            /**
             * Format: int64
             * @description Status of the response.
             * @example 400
             */
            status: number;
            /**
             * Format: int64
             * @description Until the response was sent, in milliseconds.
             * @example 12
             */
            duration_ms: number;
            /**
             * @description The key that made the request; null for a member.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            key_id: string | null;
            /**
             * @description The member of your team who made the request in the portal; null for a key.
             * @example null
             */
            member_id: string | null;
            /**
             * @description The `x-request-id` of the response, which the request may have chosen.
             * @example order-1042
             */
            x_request_id: string;
            /**
             * @description Code of the error; null for a success.
             * @example invalid_request
             */
            error_code: string | null;
            /**
             * @description Reason of the error; null if it has none.
             * @example quote_expired
             */
            reason: string | null;
            /**
             * @description What the request is about: the object that its path names, else the one in the response, else the user in the body.
             * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            object_id: string | null;
            /**
             * @description The user whom the request names.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string | null;
            /**
             * Format: double
             * @description Of a quote of a trade. USDC.
             * @example 100
             */
            usdc_amount: number | null;
            /**
             * Format: double
             * @description Of a quote of a trade. GOLD.
             * @example 0.024267
             */
            gold_amount: number | null;
        };
        RequestDay: {
            /**
             * @description The day, in UTC.
             * @example 2026-03-01
             */
            date: string;
            /**
             * Format: int64
             * @description Requests of the day that changed something or failed.
             * @example 120431
             */
            requests: number;
            /**
             * Format: int64
             * @description How many of them are in the log.
             * @example 100000
             */
            logged: number;
        };
        ListRequestsResult: {
            requests: components["schemas"]["LoggedRequest"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            /** @description What was counted on each day, the newest first. */
            days: components["schemas"]["RequestDay"][];
        };
        LoggedRequestDetail: {
            /**
             * @description Id of the logged request, prefixed `req_`.
             * @example req_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            request_id: string;
            /**
             * @description When the request came; UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description Method of HTTP.
             * @example POST
             */
            method: string;
            /**
             * @description Path without the query; what is not an id of Karat is `[redacted]`.
             * @example /v1/buy
             */
            path: string;
            /**
             * Format: int64
             * @description Status of the response.
             * @example 400
             */
            status: number;
            /**
             * Format: int64
             * @description Until the response was sent, in milliseconds.
             * @example 12
             */
            duration_ms: number;
            /**
             * @description The key that made the request; null for a member.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            key_id: string | null;
            /**
             * @description The member of your team who made the request in the portal; null for a key.
             * @example null
             */
            member_id: string | null;
            /**
             * @description The `x-request-id` of the response, which the request may have chosen.
             * @example order-1042
             */
            x_request_id: string;
            /**
             * @description Code of the error; null for a success.
             * @example invalid_request
             */
            error_code: string | null;
            /**
             * @description Reason of the error; null if it has none.
             * @example quote_expired
             */
            reason: string | null;
            /**
             * @description What the request is about: the object that its path names, else the one in the response, else the user in the body.
             * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            object_id: string | null;
            /**
             * @description The user whom the request names.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string | null;
            /**
             * Format: double
             * @description Of a quote of a trade. USDC.
             * @example 100
             */
            usdc_amount: number | null;
            /**
             * Format: double
             * @description Of a quote of a trade. GOLD.
             * @example 0.024267
             */
            gold_amount: number | null;
            /**
             * @description What the reason, or else the error, means; null for a success.
             * @example A field is missing or malformed; `field` names it.
             */
            meaning: string | null;
            /**
             * @description What to do about it; null for a success.
             * @example Correct the field that `field` names, as the message says, and send the request again.
             */
            advice: string | null;
            /**
             * @description Body of the request, as JSON text of at most 16 KiB; one that ends with `…` was cut. `[redacted]` stands for what is not kept. Null where there was none, for quotes of trades, and for members who may not read bodies.
             * @example {"service_user_id":"gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10","usdc_amount":0}
             */
            request_body: string | null;
            /**
             * @description Body of the response, as JSON text of at most 16 KiB; one that ends with `…` was cut. `[redacted]` stands for what is not kept. Null where there was none, for quotes of trades, and for members who may not read bodies.
             * @example {"error":"invalid_request","field":"usdc_amount"}
             */
            response_body: string | null;
        };
        Attestation: {
            /**
             * @description Gold that the attestor vouches for on chain. Troy ounces.
             * @example 150000
             */
            amount: string;
            /**
             * @description The time to which the attestation refers; null before the first.
             * @example 2026-03-01T12:00:00.000Z
             */
            as_of: string | null;
            /**
             * @description `tokens.burned` as it was when the attestor counted: what was burned since lowers what is covered.
             * @example 12
             */
            burned_at_as_of: string;
            /**
             * @description SHA-256 of the attestor's report; null before the first.
             * @example 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
             */
            report_hash: string | null;
        };
        WeighedBars: {
            /**
             * Format: int64
             * @description Number of bars.
             * @example 3300
             */
            count: number;
            /**
             * @description Gross weight of the bars in grams.
             * @example 3300000
             */
            gross_weight_g: string;
            /**
             * @description Fine gold in the bars in grams.
             * @example 3299670
             */
            fine_weight_g: string;
            /**
             * @description The same in troy ounces, rounded down to 6 decimals.
             * @example 106086.927567
             */
            fine_weight_oz: string;
        };
        BarsByStatus: {
            in_stock: components["schemas"]["WeighedBars"];
            reserved: components["schemas"]["WeighedBars"];
            handed_over: components["schemas"]["WeighedBars"];
            withdrawn: components["schemas"]["WeighedBars"];
        };
        ReserveBars: {
            /**
             * Format: int64
             * @description Number of bars.
             * @example 3300
             */
            count: number;
            /**
             * @description Gross weight of the bars in grams.
             * @example 3300000
             */
            gross_weight_g: string;
            /**
             * @description Fine gold in the bars in grams.
             * @example 3299670
             */
            fine_weight_g: string;
            /**
             * @description The same in troy ounces, rounded down to 6 decimals.
             * @example 106086.927567
             */
            fine_weight_oz: string;
            /**
             * @description Root of the Merkle tree (RFC 6962) over the bars held.
             * @example 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
             */
            merkle_root: string;
            by_status: components["schemas"]["BarsByStatus"];
        };
        Coverage: {
            /**
             * @description Whether `difference` is not negative.
             * @example true
             */
            covered: boolean;
            /**
             * @description Gold held less tokens outstanding. Troy ounces.
             * @example 3636.427567
             */
            difference: string;
            /**
             * @description Fine gold of the bars in stock and reserved. Troy ounces.
             * @example 106086.927567
             */
            gold_held: string;
            /**
             * @description All tokens that exist, but those that wait to be burned. Troy ounces.
             * @example 102450.5
             */
            tokens_outstanding: string;
        };
        ReserveAccounts: {
            /**
             * @description The program's settings, with the attestation.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            config: string;
            /**
             * @description Token account that holds the tokens paid for redemptions.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            escrow: string;
            /**
             * @description Token account of the treasury.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            treasury: string;
        };
        ReserveNetwork: {
            accounts: components["schemas"]["ReserveAccounts"];
            /**
             * @description Hash of the first block of the network.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            genesis_hash: string;
            /**
             * @description Mint of GOLD.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            gold_mint: string;
            /**
             * @description The program's account that alone may mint GOLD.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            mint_authority: string;
            /**
             * @description Karat's on-chain program.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            program_id: string;
            /**
             * Format: int64
             * @description The finalized slot at which the tokens were counted.
             * @example 1234567
             */
            slot: number;
        };
        ReserveTokens: {
            /**
             * @description Tokens in escrow of redemptions whose bars were handed over; they are burned a day later. Troy ounces.
             * @example 0
             */
            awaiting_burn: string;
            /**
             * @description All tokens burned so far. Troy ounces.
             * @example 12
             */
            burned: string;
            /**
             * @description Tokens that are neither in the treasury nor in escrow. Troy ounces.
             * @example 2450.5
             */
            circulating: string;
            /**
             * @description Tokens in escrow. Troy ounces.
             * @example 0
             */
            escrow: string;
            /**
             * @description Tokens in escrow that open redemptions need. Troy ounces.
             * @example 0
             */
            escrow_open: string;
            /**
             * @description All tokens. Troy ounces.
             * @example 102450.5
             */
            supply: string;
            /**
             * @description The treasury's tokens. Troy ounces.
             * @example 100000
             */
            treasury: string;
        };
        ReserveStatement: {
            /**
             * @description Begins with `COVERED` or `NOT COVERED`: whether the gold held covers the tokens outstanding.
             * @example COVERED: the gold held is 3636.427567 troy ounces more than the tokens outstanding.
             */
            assertion: string;
            attestation: components["schemas"]["Attestation"];
            bars: components["schemas"]["ReserveBars"];
            coverage: components["schemas"]["Coverage"];
            /**
             * @description The form of the statement.
             * @example karat.reserves/1
             * @enum {string}
             */
            format: "karat.reserves/1";
            /**
             * @description When the statement was made.
             * @example 2026-03-01T12:00:00.000Z
             */
            made_at: string;
            network: components["schemas"]["ReserveNetwork"];
            /**
             * @description Hash of the statement before it; null for the first.
             * @example 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
             */
            previous: string | null;
            /**
             * Format: int64
             * @description Number of the statement, from 1.
             * @example 12
             */
            sequence: number;
            /**
             * @description Id of the statement, prefixed `rs_`.
             * @example rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            statement_id: string;
            tokens: components["schemas"]["ReserveTokens"];
        };
        Countersignature: {
            /**
             * @description Ed25519 key, such as the auditor’s, hexadecimal.
             * @example 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
             */
            public_key: string;
            /**
             * @description Signature of the same bytes with that key, in base64.
             * @example Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w==
             */
            signature: string;
            /**
             * @description When the signature was added.
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
        };
        SignedReserveStatement: {
            statement: components["schemas"]["ReserveStatement"];
            /**
             * @description SHA-256 of the canonical JSON (RFC 8785) of `statement`, which is what is signed.
             * @example 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
             */
            hash: string;
            /**
             * @description Ed25519 key of the signature, hexadecimal.
             * @example 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
             */
            public_key: string;
            /**
             * @description Base64 of the signature.
             * @example Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w==
             */
            signature: string;
            /** @description Signatures of other parties, such as the auditor. */
            countersignatures: components["schemas"]["Countersignature"][];
        };
        Backing: {
            /**
             * @description Whether all tokens are covered: neither surplus is negative, and the attestation is not too old.
             * @example true
             */
            covered: boolean;
            /**
             * Format: double
             * @description All tokens that exist, in all accounts. GOLD.
             * @example 102450.5
             */
            supply: number;
            /**
             * Format: double
             * @description Gold in the last attestation; 0 before the first. Troy ounces.
             * @example 150000
             */
            attested: number;
            /**
             * @description When the attestor counted; null before the first attestation.
             * @example 2026-03-01T12:00:00.000Z
             */
            as_of: string | null;
            /**
             * Format: double
             * @description All tokens that were ever burned, which the program counts. GOLD.
             * @example 1250
             */
            burned: number;
            /**
             * Format: double
             * @description Tokens burned since the count; their gold has left. GOLD.
             * @example 250
             */
            burned_since: number;
            /**
             * Format: double
             * @description Tokens that may exist: `attested` less `burned_since`. GOLD.
             * @example 149750
             */
            backed: number;
            /**
             * Format: double
             * @description `backed` less `supply`: what may be minted. Negative: more tokens exist than the attestation covers. GOLD.
             * @example 47299.5
             */
            attested_surplus: number;
            /**
             * @description Whether the attestation is older than the program accepts: then no tokens leave the treasury, if the settings require backing.
             * @example false
             */
            attestation_stale: boolean;
            /**
             * Format: int64
             * @description Number of bars in the vaults.
             * @example 3300
             */
            bars: number;
            /**
             * Format: double
             * @description Fine gold in these bars. Troy ounces.
             * @example 106086.927567
             */
            bars_gold: number;
            /**
             * Format: double
             * @description Tokens in escrow of redemptions whose bars were handed over: they wait to be burned. GOLD.
             * @example 0
             */
            awaiting_burn: number;
            /**
             * Format: double
             * @description `bars_gold` less the tokens that are not waiting to be burned. Negative: the bars do not cover the tokens. GOLD.
             * @example 3636.427567
             */
            bars_surplus: number;
            /**
             * Format: int64
             * @description The finalized slot of the chain at which the tokens were counted.
             * @example 1234567
             */
            slot: number;
            /**
             * @description When tokens and bars were compared.
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
        };
        ListReserveStatementsResult: {
            statements: components["schemas"]["SignedReserveStatement"][];
        };
        ReserveBar: {
            /**
             * @description Refiner stamped on the bar.
             * @example Valcambi
             */
            refiner: string;
            /**
             * @description Serial number stamped on the bar.
             * @example AA123456
             */
            serial: string;
            /**
             * @description Gross weight in grams.
             * @example 1000
             */
            weight_g: string;
            /**
             * @description Parts of gold per thousand.
             * @example 999.9
             */
            fineness: string;
            /**
             * @description City of the vault.
             * @example Dubai
             */
            vault: string;
        };
        ListReserveBarsResult: {
            bars: components["schemas"]["ReserveBar"][];
        };
        /**
         * @description A header, and a line for each bar.
         * @example refiner,serial,weight_g,fineness,vault
         */
        ReserveBarsTable: string;
        InclusionProof: {
            /**
             * @description Id of the statement.
             * @example rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            statement_id: string;
            /**
             * @description Root of the tree, as in the statement.
             * @example 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
             */
            merkle_root: string;
            bar: components["schemas"]["ReserveBar"];
            /**
             * Format: int64
             * @description Position of the bar in the list, from 0.
             * @example 0
             */
            index: number;
            /**
             * Format: int64
             * @description Number of bars in the list.
             * @example 3300
             */
            leaves: number;
            /**
             * @description Sibling hashes from the leaf to the root, hexadecimal.
             * @example [
             *       "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
             *     ]
             */
            path: string[];
        };
        AttestationReport: {
            /**
             * @description SHA-256 of the file, hexadecimal, as `attestation.report_hash` of the statements has it.
             * @example 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
             */
            report_hash: string;
            /**
             * @description What the file is.
             * @example application/pdf
             * @enum {string}
             */
            content_type: "application/pdf" | "text/plain";
            /**
             * Format: int64
             * @description Size of the file.
             * @example 248310
             */
            bytes: number;
            /**
             * @description When the report was published here.
             * @example 2026-03-01T12:00:00.000Z
             */
            published_at: string;
            /**
             * @description Where the file is downloaded.
             * @example /v1/reserves/reports/5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
             */
            path: string;
        };
        ListAttestationReportsResult: {
            reports: components["schemas"]["AttestationReport"][];
        };
        VaultBalance: {
            /**
             * Format: double
             * @description GOLD.
             * @example 12.5
             */
            gold: number;
            /**
             * Format: double
             * @description USDC.
             * @example 10000
             */
            usdc: number;
        };
        StatementLine: {
            /**
             * @description When the entry was recorded; of a deposit, when it landed.
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /**
             * @description `buy` and `sell` are customers' trades, `redemption` and `refund` their redemptions, and change nothing of the vault; `purchase`, `sale` and `withdrawal` are orders of the vault; `deposit` is what came into it by a plain transfer.
             * @example sale
             * @enum {string}
             */
            kind: "buy" | "sell" | "purchase" | "sale" | "withdrawal" | "deposit" | "redemption" | "refund";
            /**
             * @description Id of the trade, the order or the redemption; null for a deposit.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            id: string | null;
            /**
             * Format: double
             * @description GOLD that came into the vault; negative: that left it.
             * @example -1.5
             */
            gold: number;
            /**
             * Format: double
             * @description USDC that came into the vault; negative: that left it.
             * @example 5900
             */
            usdc: number;
            /**
             * Format: double
             * @description Fee in dollars, which the amounts contain; negative where one was returned.
             * @example 0.5
             */
            fee_usd: number;
            /**
             * Format: double
             * @description GOLD that came into the customer's wallet; negative: that left it.
             * @example 0.024267
             */
            customer_gold: number;
            /**
             * Format: double
             * @description USDC that came into the customer's wallet; negative: that left it.
             * @example -100
             */
            customer_usdc: number;
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            tx_hash: string;
        };
        StatementTotals: {
            /**
             * Format: int64
             * @description Number of lines.
             * @example 1
             */
            lines: number;
            /**
             * Format: double
             * @description GOLD that came into the vault; negative: that left it.
             * @example -1.5
             */
            gold: number;
            /**
             * Format: double
             * @description USDC that came into the vault; negative: that left it.
             * @example 5900
             */
            usdc: number;
            /**
             * Format: double
             * @description Fee in dollars, which the amounts contain; negative where one was returned.
             * @example 0.5
             */
            fee_usd: number;
            /**
             * Format: double
             * @description GOLD that came into the customer's wallet; negative: that left it.
             * @example 0.024267
             */
            customer_gold: number;
            /**
             * Format: double
             * @description USDC that came into the customer's wallet; negative: that left it.
             * @example -100
             */
            customer_usdc: number;
        };
        AccountStatement: {
            /**
             * @description The form of the statement.
             * @example karat.statement/1
             * @enum {string}
             */
            format: "karat.statement/1";
            /**
             * Format: int64
             * @description Number of the statement: from 1 for each partner, without gaps; null while it is provisional.
             * @example 9
             */
            number: number | null;
            /**
             * @description When it was issued; null while it is provisional.
             * @example 2026-03-01T12:00:00.000Z
             */
            issued_at: string | null;
            /**
             * Format: int64
             * @description Number of the statement that this one corrects; null for the first of its month.
             * @example null
             */
            corrects: number | null;
            /**
             * @description The month, of UTC.
             * @example 2026-02
             */
            month: string;
            /**
             * @description Whether the month is not over, or its statement not issued: without number and signature.
             * @example false
             */
            provisional: boolean;
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
            /**
             * @description Name of the partner when the statement was issued.
             * @example Acme Gold
             */
            partner_name: string;
            /**
             * @description Owner of the vault's accounts; null while there is none.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            vault: string | null;
            opening: components["schemas"]["VaultBalance"];
            closing: components["schemas"]["VaultBalance"];
            /** @description Everything that succeeded, in the order of the chain. */
            lines: components["schemas"]["StatementLine"][];
            totals: components["schemas"]["StatementTotals"];
            difference: components["schemas"]["VaultBalance"];
            /**
             * @description Why there is a difference, in sentences; empty where there is none.
             * @example [
             *       "The balance of the vault on chain differs from what the lines explain."
             *     ]
             */
            causes: string[];
        };
        /**
         * @description A header, a line for each entry, an empty line, and the rest of the statement.
         * @example at,kind,id
         */
        StatementTable: string;
        /**
         * Format: binary
         * @description A PDF.
         * @example %PDF-1.7
         */
        StatementPaper: string;
        /**
         * Format: binary
         * @description A PDF.
         * @example %PDF-1.7
         */
        TradeReceipt: string;
        /**
         * Format: binary
         * @description A PDF.
         * @example %PDF-1.7
         */
        RedemptionReceipt: string;
        PaperKeys: {
            /**
             * @description Hexadecimal.
             * @example [
             *       "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
             *     ]
             */
            public_keys: string[];
        };
        InspectTransactionRequest: {
            /**
             * @description Base64 of the transaction, as your library serializes it.
             * @example AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
             */
            transaction: string;
        };
        InspectedSigner: {
            /**
             * @description Public key of the signer.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            address: string;
            /**
             * @description What it is to the transaction: `service`, `partner`, `user`, `executive`, `withdrawal_authority` or `update_authority`, else `fee_payer` or `signer`.
             * @example user
             */
            role: string;
            /**
             * @description Whether it has validly signed these very bytes.
             * @example false
             */
            signed: boolean;
        };
        InspectedInstruction: {
            /**
             * @description `karat`, `spl_token`, `token_2022`, `associated_token`, `system`, `compute_budget` or `memo`; the address of any other program.
             * @example spl_token
             */
            program: string;
            /**
             * @description Name of the instruction; null if it cannot be decoded.
             * @example transfer_checked
             */
            name: string | null;
            /**
             * @description Its accounts and arguments by name, with `token_name`, GOLD or USDC, where it is about one of them; amounts are numbers of tokens or of SOL. What cannot be decoded has `accounts` and `data`, in base64.
             * @example {
             *       "amount": 100,
             *       "decimals": 6,
             *       "source": "4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H"
             *     }
             */
            fields: {
                [key: string]: unknown;
            };
        };
        InspectedProblem: {
            /**
             * @description Why submit or the chain would refuse it.
             * @example signature_missing
             * @enum {string}
             */
            reason: "quote_expired" | "slippage_exceeded" | "price_moved" | "insufficient_usdc" | "insufficient_gold" | "token_account_missing" | "signature_missing" | "signature_invalid" | "transaction_altered" | "other_quote" | "malformed" | "trading_paused" | "market_closed" | "price_unavailable" | "limit_exceeded" | "partner_suspended" | "treasury_short" | "node_unavailable" | "program_error" | "price_stale" | "price_unreachable" | "price_out_of_band" | "wallet_not_allowed" | "usdc_off_peg" | "not_backed" | "opposite_side_too_early" | "treasury_paused" | "fee_budget_used" | "request_limit_reached";
            /**
             * @description What is wrong, for people.
             * @example The signature of the user (4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H) is missing.
             */
            message: string;
        };
        InspectedChange: {
            /**
             * @description Owner of the tokens, or the wallet of the SOL.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            owner: string;
            /**
             * @description What changes.
             * @example USDC
             * @enum {string}
             */
            token: "GOLD" | "USDC" | "SOL";
            /**
             * Format: double
             * @description By how much, in tokens or SOL; negative for a decrease.
             * @example -100
             */
            amount: number;
        };
        InspectedSimulation: {
            /**
             * @description Whether it would succeed now.
             * @example true
             */
            ok: boolean;
            /**
             * @description Why it would fail.
             * @example slippage_exceeded
             * @enum {string}
             */
            reason?: "quote_expired" | "slippage_exceeded" | "price_moved" | "insufficient_usdc" | "insufficient_gold" | "token_account_missing" | "signature_missing" | "signature_invalid" | "transaction_altered" | "other_quote" | "malformed" | "trading_paused" | "market_closed" | "price_unavailable" | "limit_exceeded" | "partner_suspended" | "treasury_short" | "node_unavailable" | "program_error" | "price_stale" | "price_unreachable" | "price_out_of_band" | "wallet_not_allowed" | "usdc_off_peg" | "not_backed" | "opposite_side_too_early" | "treasury_paused" | "fee_budget_used" | "request_limit_reached";
            /** @description What it would move; empty if it would fail. */
            changes: components["schemas"]["InspectedChange"][];
        };
        InspectTransactionResult: {
            /**
             * @description What it is for; null for any transaction not of Karat.
             * @example buy
             */
            kind: ("buy" | "sell" | "redemption" | "purchase" | "sale" | "withdrawal" | "executive_update") | null;
            /**
             * @description Id of the trade, redemption or order; null if it has none.
             * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            id: string | null;
            /**
             * @description What it does, in a sentence.
             * @example Buys at least 0.024145 GOLD for 100 USDC of 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H.
             */
            summary: string;
            /** @description In the order of the signatures. */
            signers: components["schemas"]["InspectedSigner"][];
            /**
             * @description Pays the fee of the network.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            fee_payer: string;
            /**
             * @description When it can no longer land; null if that is not known.
             * @example 2026-03-01T12:01:00.000Z
             */
            expires_at: string | null;
            instructions: components["schemas"]["InspectedInstruction"][];
            /** @description Empty if nothing is wrong. */
            problems: components["schemas"]["InspectedProblem"][];
            simulation: components["schemas"]["InspectedSimulation"];
        };
        RedemptionWithFigures: {
            /**
             * @description Id of the redemption, prefixed `red_`.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            redemption_id: string;
            /**
             * @description `submitted`, `preparing`, `ready`, `collected`, `cancellation_requested`, `cancelled` or `failed`.
             * @example submitted
             * @enum {string}
             */
            status: "submitted" | "preparing" | "ready" | "collected" | "cancellation_requested" | "cancelled" | "failed";
            /**
             * @description Label of the denomination.
             * @example 1 tola bar
             */
            denomination: string;
            /**
             * Format: double
             * @description Grams.
             * @example 11.6638038
             */
            weight_g: number;
            /**
             * @description City of the pickup.
             * @example Karachi
             */
            city: string;
            quote: components["schemas"]["RedemptionFigures"];
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            submitted_tx_hash: string | null;
            /**
             * @description Why it failed, for programs to act on; of a failed one only.
             * @example slippage_exceeded
             * @enum {string}
             */
            reason?: "quote_expired" | "slippage_exceeded" | "price_moved" | "insufficient_usdc" | "insufficient_gold" | "token_account_missing" | "signature_missing" | "signature_invalid" | "transaction_altered" | "other_quote" | "malformed" | "trading_paused" | "market_closed" | "price_unavailable" | "limit_exceeded" | "partner_suspended" | "treasury_short" | "node_unavailable" | "program_error" | "price_stale" | "price_unreachable" | "price_out_of_band" | "wallet_not_allowed" | "usdc_off_peg" | "not_backed" | "opposite_side_too_early" | "treasury_paused" | "fee_budget_used" | "request_limit_reached";
            /**
             * @description Name of the error of the program on chain that refused it.
             * @example SlippageExceeded
             */
            program_error_name?: string;
            /**
             * @description What happened and what to do next, for people; of a failed one only.
             * @example SlippageExceeded: The output is below the accepted minimum, or the input above the accepted maximum. The price is beyond what the quote accepts: request a new quote.
             */
            message?: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
            /**
             * @description The reason; shown in the record.
             * @example null
             */
            cancellation_reason: string | null;
        };
        Operation: {
            /**
             * @description Id of the trade or redemption.
             * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            id: string;
            /**
             * @description What it is; null for a trade that was never submitted here and is not on chain.
             * @example buy
             */
            kind: ("buy" | "sell" | "redemption") | null;
            /**
             * @description `submitted`: sent, and neither seen to succeed nor certain to have come to nothing. `confirmed`: on chain; `finalized`: for good. `failed`: on chain for good, and moved nothing. `expired`: it can no longer land. `unknown`: never submitted here, and not on chain.
             * @example confirmed
             * @enum {string}
             */
            status: "submitted" | "confirmed" | "finalized" | "failed" | "expired" | "unknown";
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            tx_hash: string | null;
            /**
             * @description Of one that failed, or that the node refused when it was sent last: why, for programs to act on.
             * @example slippage_exceeded
             * @enum {string}
             */
            reason?: "quote_expired" | "slippage_exceeded" | "price_moved" | "insufficient_usdc" | "insufficient_gold" | "token_account_missing" | "signature_missing" | "signature_invalid" | "transaction_altered" | "other_quote" | "malformed" | "trading_paused" | "market_closed" | "price_unavailable" | "limit_exceeded" | "partner_suspended" | "treasury_short" | "node_unavailable" | "program_error" | "price_stale" | "price_unreachable" | "price_out_of_band" | "wallet_not_allowed" | "usdc_off_peg" | "not_backed" | "opposite_side_too_early" | "treasury_paused" | "fee_budget_used" | "request_limit_reached";
            /**
             * @description Of one that failed, or that the node refused when it was sent last: what happened and what to do next, for people.
             * @example SlippageExceeded: The output is below the accepted minimum, or the input above the accepted maximum. The price is beyond what the quote accepts: request a new quote.
             */
            message?: string;
            /**
             * @description When it can no longer land, by estimate; null if it was not submitted here.
             * @example 2026-03-01T12:01:00.000Z
             */
            expires_at: string | null;
            /** @description What GET of the trade or of the redemption returns; null while that is 404. */
            record: components["schemas"]["Trade"] | components["schemas"]["RedemptionWithFigures"] | null;
        };
        GetHealthResult: {
            /** @enum {string} */
            status: "ok";
            /** @enum {string} */
            service: "karat";
            /**
             * @description Version of the service.
             * @example 0.1.0
             */
            version: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            time: string;
        };
        Check: {
            /**
             * @description Whether it works.
             * @example ok
             * @enum {string}
             */
            status: "ok" | "failed";
            /**
             * @description Description of what is wrong, or of what is paused.
             * @example the price is older than 150 seconds
             */
            detail?: string;
        };
        Readiness: {
            /**
             * @description Whether it works.
             * @example ok
             * @enum {string}
             */
            status: "ok" | "failed";
            checks: {
                database: components["schemas"]["Check"];
                chain: components["schemas"]["Check"];
                price: components["schemas"]["Check"];
                indexer: components["schemas"]["Check"];
            };
        };
    };
    responses: {
        /** @description - `invalid_request`: A field is missing or malformed; `field` names it. */
        invalid_request: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `unauthorized`: The header `x-api-key` is missing or is not a valid key. */
        unauthorized: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `forbidden`: The request does not come from the console itself. */
        forbidden: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `not_found`: This path does not exist. */
        not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `user_not_found`: There is no such user. */
        user_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `trade_not_found`: There is no record of this trade, or none yet. */
        trade_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `redemption_not_found`: There is no such redemption, or its payment has not been seen on chain yet. */
        redemption_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `wallet_not_found`: This is not a wallet of this partner. */
        wallet_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `key_not_found`: There is no such key. */
        key_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `endpoint_not_found`: There is no such webhook endpoint. */
        endpoint_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `statement_not_found`: There is no such statement, or none yet. */
        statement_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `request_not_found`: There is no such request in the log, or it is older than 7 days. */
        request_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `idempotency_conflict`: The Idempotency-Key was used for another request, its first request is still in progress, or the quote that it got has expired. */
        idempotency_conflict: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `transition_not_allowed`: The state does not allow this. */
        transition_not_allowed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `already_exists`: An object of this name already exists. */
        already_exists: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `last_owner`: This member is the only owner of the partner. */
        last_owner: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `receipt_not_ready`: There is nothing final of which to give a receipt yet. */
        receipt_not_ready: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `payload_too_large`: The body is larger than 64 KiB. */
        payload_too_large: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `unsupported_media_type`: The body is not `application/json`. */
        unsupported_media_type: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `rate_limited`: Too many requests; wait for the seconds in `retry-after`. */
        rate_limited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `internal_error`: Something went wrong on our side. */
        internal_error: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `service_unavailable`: The service, or something that it needs, is unavailable; try again shortly. */
        service_unavailable: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `invalid_wallet`: The address is not a valid public key.
         *     - `wallet_revoked`: The partner wallet is revoked.
         */
        invalid_request_or_invalid_wallet_or_wallet_revoked: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `invalid_signature`: The signature is not this wallet's signature of the message, or is base58 instead of base64.
         *     - `invalid_challenge`: The challenge does not exist or has already been used.
         *     - `challenge_expired`: The challenge is older than 2 minutes.
         *     - `wallet_revoked`: The partner wallet is revoked.
         */
        invalid_request_or_invalid_signature_or_invalid_challenge_or_challenge_expired_or_wallet_revoked: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `partner_suspended`: The partner is suspended.
         *     - `wallet_not_allowed`: The wallet cannot be used with the service.
         */
        partner_suspended_or_wallet_not_allowed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `insufficient_scope`: The key lacks the scope that this request needs.
         *     - `partner_suspended`: The partner is suspended.
         *     - `second_factor_required`: The account must have a second factor first, or the request must include a fresh one or a confirmation; `field` says which.
         */
        insufficient_scope_or_partner_suspended_or_second_factor_required: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `already_revoked`: The key is already revoked.
         */
        invalid_request_or_already_revoked: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `insufficient_scope`: The key lacks the scope that this request needs.
         *     - `partner_suspended`: The partner is suspended.
         *     - `forbidden`: The request does not come from the console itself.
         *     - `second_factor_required`: The account must have a second factor first, or the request must include a fresh one or a confirmation; `field` says which.
         */
        insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `forbidden`: The request does not come from the console itself.
         *     - `wallet_not_allowed`: The wallet cannot be used with the service.
         */
        forbidden_or_wallet_not_allowed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `insufficient_scope`: The key lacks the scope that this request needs.
         *     - `partner_suspended`: The partner is suspended.
         *     - `forbidden`: The request does not come from the console itself.
         *     - `second_factor_required`: The account must have a second factor first, or the request must include a fresh one or a confirmation; `field` says which.
         *     - `wallet_not_allowed`: The wallet cannot be used with the service.
         */
        insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required_or_wallet_not_allowed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `second_factor_wrong`: The passkey or the code is wrong, or the code was already used.
         */
        invalid_request_or_second_factor_wrong: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `invalid_challenge`: The challenge does not exist or has already been used.
         *     - `second_factor_wrong`: The passkey or the code is wrong, or the code was already used.
         */
        invalid_request_or_invalid_challenge_or_second_factor_wrong: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `invalid_challenge`: The challenge does not exist or has already been used.
         */
        invalid_request_or_invalid_challenge: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `transition_not_allowed`: The state does not allow this.
         *     - `already_exists`: An object of this name already exists.
         */
        transition_not_allowed_or_already_exists: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `insufficient_scope`: The key lacks the scope that this request needs.
         *     - `partner_mismatch`: The object belongs to another partner.
         *     - `partner_suspended`: The partner is suspended.
         *     - `forbidden`: The request does not come from the console itself.
         *     - `second_factor_required`: The account must have a second factor first, or the request must include a fresh one or a confirmation; `field` says which.
         */
        insufficient_scope_or_partner_mismatch_or_partner_suspended_or_forbidden_or_second_factor_required: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `invalid_invitation`: The invitation was used, withdrawn, has expired, or does not exist.
         */
        invalid_request_or_invalid_invitation: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `internal_error`: Something went wrong on our side. */
        internal_error_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `service_unavailable`: The service, or something that it needs, is unavailable; try again shortly. */
        service_unavailable_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `pricing_unavailable`: The gold price is stale, the price or the Solana node is unreachable, or the market is closed.
         *     - `service_unavailable`: The service, or something that it needs, is unavailable; try again shortly.
         */
        pricing_unavailable_or_service_unavailable: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `invalid_wallet`: The address is not a valid public key.
         *     - `kyc_level_insufficient`: The user's KYC level is not `full`.
         */
        invalid_request_or_invalid_wallet_or_kyc_level_insufficient: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `user_already_exists`: The wallet or the `user_id` is already registered.
         *     - `idempotency_conflict`: The Idempotency-Key was used for another request, its first request is still in progress, or the quote that it got has expired.
         */
        user_already_exists_or_idempotency_conflict: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `insufficient_scope`: The key lacks the scope that this request needs.
         *     - `partner_mismatch`: The object belongs to another partner.
         *     - `partner_suspended`: The partner is suspended.
         *     - `second_factor_required`: The account must have a second factor first, or the request must include a fresh one or a confirmation; `field` says which.
         */
        insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `kyc_level_insufficient`: The user's KYC level is not `full`.
         *     - `onchain_config_missing`: The partner is not set up on chain yet.
         *     - `wallet_missing`: The partner has no registered wallet.
         */
        invalid_request_or_kyc_level_insufficient_or_onchain_config_missing_or_wallet_missing: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `insufficient_scope`: The key lacks the scope that this request needs.
         *     - `partner_mismatch`: The object belongs to another partner.
         *     - `partner_suspended`: The partner is suspended.
         *     - `user_suspended`: The user is suspended.
         *     - `forbidden`: The request does not come from the console itself.
         *     - `second_factor_required`: The account must have a second factor first, or the request must include a fresh one or a confirmation; `field` says which.
         *     - `wallet_not_allowed`: The wallet cannot be used with the service.
         *     - `limit_exceeded`: A limit of 24 hours has no room for this amount; `details` names the limit and when it has room again.
         */
        insufficient_scope_or_partner_mismatch_or_partner_suspended_or_user_suspended_or_forbidden_or_second_factor_required_or_wallet_not_allowed_or_limit_exceeded: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `kyc_level_insufficient`: The user's KYC level is not `full`.
         *     - `broadcast_failed`: The transaction is not the quote's own, or the network rejected it; `message` gives the reason. An expired quote gives `Blockhash not found`.
         */
        invalid_request_or_kyc_level_insufficient_or_broadcast_failed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `invalid_denomination`: There is no such denomination, or it is no longer offered.
         *     - `invalid_city`: The denomination is not handed over in this city.
         *     - `kyc_level_insufficient`: The user's KYC level is not `full`.
         */
        invalid_request_or_invalid_denomination_or_invalid_city_or_kyc_level_insufficient: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `cancellation_not_allowed`: Only a redemption that is `submitted` can be cancelled.
         */
        invalid_request_or_cancellation_not_allowed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `onchain_config_missing`: The partner is not set up on chain yet.
         */
        invalid_request_or_onchain_config_missing: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `idempotency_conflict`: The Idempotency-Key was used for another request, its first request is still in progress, or the quote that it got has expired.
         *     - `endpoint_limit_reached`: The partner already has 10 webhook endpoints.
         */
        idempotency_conflict_or_endpoint_limit_reached: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `not_found`: This path does not exist.
         *     - `endpoint_not_found`: There is no such webhook endpoint.
         */
        not_found_or_endpoint_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `idempotency_conflict`: The Idempotency-Key was used for another request, its first request is still in progress, or the quote that it got has expired.
         *     - `transition_not_allowed`: The state does not allow this.
         */
        idempotency_conflict_or_transition_not_allowed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `statement_not_found`: There is no such statement, or none yet. */
        statement_not_found_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `invalid_request`: A field is missing or malformed; `field` names it. */
        invalid_request_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `statement_not_found`: There is no such statement, or none yet.
         *     - `bar_not_found`: The statement has no such bar.
         */
        statement_not_found_or_bar_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `trade_not_found`: There is no record of this trade, or none yet.
         *     - `redemption_not_found`: There is no such redemption, or its payment has not been seen on chain yet.
         */
        trade_not_found_or_redemption_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `service_unavailable`: The service, or something that it needs, is unavailable; try again shortly. */
        response_or_service_unavailable_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Readiness"] | components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: {
        /** @description Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route. */
        "idempotency-key": string;
        /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
        "x-request-id": string;
        /**
         * @description `next_cursor` of the previous page.
         * @example MTc3MjM2NjQwMDAwMC4wMTljYTk0NS0wYTAwLTdjM2UtOWQ2MS00YjhmMmE3ZTVjMTA
         */
        cursor: string;
        /**
         * @description Rows per page, 1 to 100; default 100.
         * @example 100
         */
        limit: string;
        /**
         * @description Id of the passkey, a UUID.
         * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        passkey_id: string;
        /**
         * @description Id of the member, a UUID.
         * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        member_id: string;
        /**
         * @description Id of the user, prefixed `gu_`.
         * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        service_user_id: string;
        /**
         * @description Id of the trade, prefixed `trd_`.
         * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        trade_id: string;
        /**
         * @description Only those of the user with this `user_id`.
         * @example customer-1042
         */
        user_id: string;
        /**
         * @description Only those created at this time or later: ISO 8601 with an offset.
         * @example 2026-03-01T00:00:00Z
         */
        created_from: string;
        /**
         * @description Only those created at this time or earlier: ISO 8601 with an offset.
         * @example 2026-03-31T23:59:59.999Z
         */
        created_to: string;
        /**
         * @description Id of the redemption, prefixed `red_`.
         * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        redemption_id: string;
        /**
         * @description Only events after this one: an `id` from your log, or `start` for all.
         * @example evt_019ca945-0a00-8000-8000-002a2a7e5c10
         */
        after: string;
        /**
         * @description Only events of these types, separated by commas: `user.created`, `user.suspended`, `user.resumed`, `user.kyc_level_changed`, `api_key.created`, `api_key.revoked`, `trade.submitted`, `trade.confirmed`, `trade.failed`, `trade.expired`, `trade.reverted`, `redemption.submitted`, `redemption.preparing`, `redemption.ready`, `redemption.collected`, `redemption.cancellation_requested`, `redemption.cancelled`, `redemption.failed`, `redemption.refunded`, `redemption.burned`, `purchase.confirmed`, `purchase.failed`, `purchase.expired`, `sale.confirmed`, `sale.failed`, `sale.expired`, `withdrawal.confirmed`, `withdrawal.failed`, `withdrawal.expired`, `executives.changed`, `partner.suspended`, `partner.resumed`, `webhook_endpoint.disabled`, `member.invited`.
         * @example trade.confirmed,trade.failed
         */
        types: string;
        /**
         * @description Id of the endpoint, prefixed `we_`.
         * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        endpoint_id: string;
        /**
         * @description Id of the statement.
         * @example rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        statement_id: string;
    };
    requestBodies: never;
    headers: {
        /** @description The id of this request: the one you sent, or a generated one. */
        "x-request-id": string;
        /** @description Requests that the budget allows. */
        "ratelimit-limit": number;
        /** @description Requests that are left in the budget. */
        "ratelimit-remaining": number;
        /** @description Seconds until some of what was used is free again. */
        "ratelimit-reset": number;
        /** @description Seconds to wait before the next request. */
        "retry-after": number;
        /** @description Fields of the body and parameters of the query that the route does not know and has ignored, comma-separated, nested ones as dotted paths; absent if there were none. */
        "karat-ignored": string;
        /** @description Present when this is the response to an earlier request. */
        "idempotency-replayed": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createChallenge: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "wallet_address": "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD",
                 *       "partner_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10"
                 *     }
                 */
                "application/json": components["schemas"]["CreateChallengeRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_wallet_or_wallet_revoked"];
            404: components["responses"]["wallet_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "challenge_id": "ch_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                 *       "signature": "Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w==",
                 *       "key_name": "production"
                 *     }
                 */
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintedApiKey"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_signature_or_invalid_challenge_or_challenge_expired_or_wallet_revoked"];
            403: components["responses"]["partner_suspended_or_wallet_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /**
                 * @description `next_cursor` of the previous page.
                 * @example MTc3MjM2NjQwMDAwMC4wMTljYTk0NS0wYTAwLTdjM2UtOWQ2MS00YjhmMmE3ZTVjMTA
                 */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Rows per page, 1 to 100; default 100.
                 * @example 100
                 */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListApiKeysResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the key, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeApiKeyResult"];
                };
            };
            400: components["responses"]["invalid_request_or_already_revoked"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["key_not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalSession"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "sana@acme.example",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalSession"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactorChallenge"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_signature_or_invalid_challenge_or_challenge_expired_or_wallet_revoked"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_or_wallet_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignOutResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    createSessionChallenge: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "wallet_address": "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD",
                 *       "partner_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10"
                 *     }
                 */
                "application/json": components["schemas"]["CreateSessionChallengeRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalChallenge"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_wallet_or_wallet_revoked"];
            404: components["responses"]["wallet_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    confirmSessionWithWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "challenge_id": "ch_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                 *       "signature": "Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w=="
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmSessionWithWalletRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmation"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_signature_or_invalid_challenge_or_challenge_expired_or_wallet_revoked"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required_or_wallet_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    finishSignIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071",
                 *       "totp_code": "492039"
                 *     }
                 */
                "application/json": components["schemas"]["FinishSignInRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalSession"];
                };
            };
            400: components["responses"]["invalid_request_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "correct horse battery staple",
                 *       "new_password": "a longer horse, a newer staple"
                 *     }
                 */
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangePasswordResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactor"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    challengeSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "purpose": "account"
                 *     }
                 */
                "application/json": components["schemas"]["ChallengeSecondFactorRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactorChallenge"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    confirmSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071",
                 *       "totp_code": "492039"
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmSessionRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmation"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    startPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "second_factor": {
                 *         "token": "9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071",
                 *         "totp_code": "492039"
                 *       },
                 *       "current_password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["StartPasskeyRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartPasskeyResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            409: components["responses"]["transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    addPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071",
                 *       "name": "Laptop at the counter",
                 *       "passkey": {
                 *         "id": "q2fD…",
                 *         "rawId": "q2fD…",
                 *         "type": "public-key",
                 *         "response": {},
                 *         "clientExtensionResults": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AddPasskeyRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddPasskeyResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            409: components["responses"]["transition_not_allowed_or_already_exists"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the passkey, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                passkey_id: components["parameters"]["passkey_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Laptop at the counter"
                 *     }
                 */
                "application/json": components["schemas"]["RenamePasskeyRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the passkey, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                passkey_id: components["parameters"]["passkey_id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "second_factor": {
                 *         "token": "9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071",
                 *         "totp_code": "492039"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RemovePasskeyRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovePasskeyResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    startTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "second_factor": {
                 *         "token": "9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071",
                 *         "totp_code": "492039"
                 *       },
                 *       "current_password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["StartTotpRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartTotpResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            409: components["responses"]["already_exists"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "totp_code": "492039"
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmTotpRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmTotpResult"];
                };
            };
            400: components["responses"]["invalid_request_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            409: components["responses"]["transition_not_allowed_or_already_exists"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    removeTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "second_factor": {
                 *         "token": "9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071",
                 *         "totp_code": "492039"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RemoveTotpRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoveTotpResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    renewRecoveryCodes: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "second_factor": {
                 *         "token": "9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071",
                 *         "totp_code": "492039"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RenewRecoveryCodesRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenewRecoveryCodesResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            409: components["responses"]["transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMembersResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listMemberAudit: {
        parameters: {
            query?: {
                /**
                 * @description Entries in the response, 1 to 100; default 100.
                 * @example 50
                 */
                limit?: string;
                /**
                 * @description `next_cursor` of the page before.
                 * @example MTA0Mg
                 */
                cursor?: string;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMemberAuditResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the member, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                member_id: components["parameters"]["member_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["last_owner"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    changeMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the member, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                member_id: components["parameters"]["member_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Sana Malik",
                 *       "role": "developer"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeMemberRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["last_owner"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listInvitations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListInvitationsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "sana@acme.example",
                 *       "role": "developer"
                 *     }
                 */
                "application/json": components["schemas"]["InviteMemberRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedInvitation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            409: components["responses"]["already_exists"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    withdrawInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the invitation, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WithdrawInvitationResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "9f2c4b7e0d1a385660b1f2e3c4d5a697",
                 *       "name": "Sana Malik",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["AcceptInvitationRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedMember"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_invitation"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getNetwork: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolanaNetwork"];
                };
            };
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    listCountries: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListCountriesResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getGoldMetadata: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenMetadata"];
                };
            };
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    listLimits: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListLimitsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getPrice: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Price"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["pricing_unavailable_or_service_unavailable"];
        };
    };
    listPriceHistory: {
        parameters: {
            query?: {
                /**
                 * @description Beginning with the candle that this time lies in. ISO 8601 with an offset.
                 * @example 2026-03-01T00:00:00Z
                 */
                from?: string;
                /**
                 * @description Up to the candle that this time lies in; default: now. ISO 8601 with an offset.
                 * @example 2026-03-02T00:00:00Z
                 */
                to?: string;
                /**
                 * @description Length of a candle: a minute, five minutes, an hour or a day of UTC; default: `1h`.
                 * @example 1h
                 */
                interval?: "1m" | "5m" | "1h" | "1d";
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPriceHistoryResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /**
                 * @description Only users with this status.
                 * @example active
                 */
                status?: "active" | "suspended";
                /**
                 * @description Only the user with this `user_id`.
                 * @example customer-1042
                 */
                user_id?: string;
                /**
                 * @description Only this user.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id?: string;
                /**
                 * @description `next_cursor` of the previous page.
                 * @example MTc3MjM2NjQwMDAwMC5ndV8wMTljYTk0NS0wYTAwLTdjM2UtOWQ2MS00YjhmMmE3ZTVjMTA
                 */
                cursor?: string;
                /**
                 * @description Rows per page, 1 to 100; default 100.
                 * @example 100
                 */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListUsersResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_id": "customer-1042",
                 *       "wallet_address": "4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H",
                 *       "kyc": {
                 *         "country": "PK",
                 *         "full_name": "Ayesha Khan",
                 *         "kyc_provider": "sumsub",
                 *         "kyc_level": "full",
                 *         "kyc_verified_at": "2026-02-27T09:30:00.000Z",
                 *         "kyc_data": {
                 *           "id_type": "cnic",
                 *           "id_number": "42101-1234567-1"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateUserRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedUser"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_wallet_or_kyc_level_insufficient"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required_or_wallet_not_allowed"];
            409: components["responses"]["user_already_exists_or_idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the user, prefixed `gu_`.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id: components["parameters"]["service_user_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithKyc"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["user_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getUserBalances: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the user, prefixed `gu_`.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id: components["parameters"]["service_user_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balances"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["user_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    quoteBuy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuoteBuyRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuoteBuyResult"];
                };
            };
            400: components["responses"]["invalid_request_or_kyc_level_insufficient_or_onchain_config_missing_or_wallet_missing"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_user_suspended_or_forbidden_or_second_factor_required_or_wallet_not_allowed_or_limit_exceeded"];
            404: components["responses"]["user_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["pricing_unavailable_or_service_unavailable"];
        };
    };
    quoteSell: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuoteSellRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuoteSellResult"];
                };
            };
            400: components["responses"]["invalid_request_or_kyc_level_insufficient_or_onchain_config_missing_or_wallet_missing"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_user_suspended_or_forbidden_or_second_factor_required_or_wallet_not_allowed_or_limit_exceeded"];
            404: components["responses"]["user_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["pricing_unavailable_or_service_unavailable"];
        };
    };
    submitBuy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the trade, prefixed `trd_`.
                 * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                trade_id: components["parameters"]["trade_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signed_tx": "AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
                 *     }
                 */
                "application/json": components["schemas"]["SubmitBuyRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmitBuyResult"];
                };
            };
            400: components["responses"]["invalid_request_or_kyc_level_insufficient_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_user_suspended_or_forbidden_or_second_factor_required_or_wallet_not_allowed_or_limit_exceeded"];
            404: components["responses"]["trade_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    submitSell: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the trade, prefixed `trd_`.
                 * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                trade_id: components["parameters"]["trade_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signed_tx": "AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
                 *     }
                 */
                "application/json": components["schemas"]["SubmitSellRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmitSellResult"];
                };
            };
            400: components["responses"]["invalid_request_or_kyc_level_insufficient_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_user_suspended_or_forbidden_or_second_factor_required_or_wallet_not_allowed_or_limit_exceeded"];
            404: components["responses"]["trade_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getTrade: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the trade, prefixed `trd_`.
                 * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                trade_id: components["parameters"]["trade_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trade"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["trade_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listTrades: {
        parameters: {
            query?: {
                /**
                 * @description Only those of this user.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id?: string;
                /**
                 * @description Only those of the user with this `user_id`.
                 * @example customer-1042
                 */
                user_id?: components["parameters"]["user_id"];
                /**
                 * @description Only buys, or only sells.
                 * @example buy
                 */
                side?: "buy" | "sell";
                /**
                 * @description Only those with this status.
                 * @example confirmed
                 */
                status?: "confirmed" | "failed";
                /**
                 * @description Only those created at this time or later: ISO 8601 with an offset.
                 * @example 2026-03-01T00:00:00Z
                 */
                created_from?: components["parameters"]["created_from"];
                /**
                 * @description Only those created at this time or earlier: ISO 8601 with an offset.
                 * @example 2026-03-31T23:59:59.999Z
                 */
                created_to?: components["parameters"]["created_to"];
                /**
                 * @description `next_cursor` of the previous page.
                 * @example MTc3MjM2NjQwMDAwMC50cmRfMDE5Y2E5NDUtMGEwMC03YzNlLTlkNjEtNGI4ZjJhN2U1YzEw
                 */
                cursor?: string;
                /**
                 * @description Rows per page, 1 to 100; default 100.
                 * @example 100
                 */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTradesResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listDenominations: {
        parameters: {
            query: {
                /**
                 * @description ISO 3166-1 alpha-2 code, in upper or lower case.
                 * @example PK
                 */
                country: string;
                /**
                 * @description Only this city; upper and lower case are equal.
                 * @example Karachi
                 */
                city?: string;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDenominationsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listRedemptions: {
        parameters: {
            query?: {
                /**
                 * @description Only those of this user.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id?: string;
                /**
                 * @description Only those of the user with this `user_id`.
                 * @example customer-1042
                 */
                user_id?: components["parameters"]["user_id"];
                /**
                 * @description `submitted`, `preparing`, `ready`, `collected`, `cancellation_requested`, `cancelled` or `failed`.
                 * @example submitted
                 */
                status?: "submitted" | "preparing" | "ready" | "collected" | "cancellation_requested" | "cancelled" | "failed";
                /**
                 * @description Only those in this city; upper and lower case are equal.
                 * @example Karachi
                 */
                city?: string;
                /**
                 * @description Only those created at this time or later: ISO 8601 with an offset.
                 * @example 2026-03-01T00:00:00Z
                 */
                created_from?: components["parameters"]["created_from"];
                /**
                 * @description Only those created at this time or earlier: ISO 8601 with an offset.
                 * @example 2026-03-31T23:59:59.999Z
                 */
                created_to?: components["parameters"]["created_to"];
                /**
                 * @description `next_cursor` of the previous page.
                 * @example MTc3MjM2NjQwMDAwMC5yZWRfMDE5Y2E5NDUtMGEwMC03YzNlLTlkNjEtNGI4ZjJhN2U1YzEw
                 */
                cursor?: string;
                /**
                 * @description Rows per page, 1 to 100; default 100.
                 * @example 100
                 */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRedemptionsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    quoteRedemption: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "service_user_id": "gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                 *       "denomination_id": "pk_tola_1",
                 *       "city": "Karachi"
                 *     }
                 */
                "application/json": components["schemas"]["QuoteRedemptionRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuoteRedemptionResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_denomination_or_invalid_city_or_kyc_level_insufficient"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_user_suspended_or_forbidden_or_second_factor_required_or_wallet_not_allowed_or_limit_exceeded"];
            404: components["responses"]["user_not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["pricing_unavailable_or_service_unavailable"];
        };
    };
    submitRedemption: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the redemption, prefixed `red_`.
                 * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                redemption_id: components["parameters"]["redemption_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signed_tx": "AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
                 *     }
                 */
                "application/json": components["schemas"]["SubmitRedemptionRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmitRedemptionResult"];
                };
            };
            400: components["responses"]["invalid_request_or_kyc_level_insufficient_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_user_suspended_or_forbidden_or_second_factor_required_or_wallet_not_allowed_or_limit_exceeded"];
            404: components["responses"]["redemption_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    cancelRedemption: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the redemption, prefixed `red_`.
                 * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                redemption_id: components["parameters"]["redemption_id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "The customer moved to another city."
                 *     }
                 */
                "application/json": components["schemas"]["CancelRedemptionRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelRedemptionResult"];
                };
            };
            400: components["responses"]["invalid_request_or_cancellation_not_allowed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getRedemption: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the redemption, prefixed `red_`.
                 * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                redemption_id: components["parameters"]["redemption_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedemptionWithCode"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description Only events after this one: an `id` from your log, or `start` for all.
                 * @example evt_019ca945-0a00-8000-8000-002a2a7e5c10
                 */
                after?: components["parameters"]["after"];
                /**
                 * @description Only events of these types, separated by commas: `user.created`, `user.suspended`, `user.resumed`, `user.kyc_level_changed`, `api_key.created`, `api_key.revoked`, `trade.submitted`, `trade.confirmed`, `trade.failed`, `trade.expired`, `trade.reverted`, `redemption.submitted`, `redemption.preparing`, `redemption.ready`, `redemption.collected`, `redemption.cancellation_requested`, `redemption.cancelled`, `redemption.failed`, `redemption.refunded`, `redemption.burned`, `purchase.confirmed`, `purchase.failed`, `purchase.expired`, `sale.confirmed`, `sale.failed`, `sale.expired`, `withdrawal.confirmed`, `withdrawal.failed`, `withdrawal.expired`, `executives.changed`, `partner.suspended`, `partner.resumed`, `webhook_endpoint.disabled`, `member.invited`.
                 * @example trade.confirmed,trade.failed
                 */
                types?: components["parameters"]["types"];
                /**
                 * @description Only events of this object.
                 * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                object_id?: string;
                /**
                 * @description Events in the response, 1 to 100; default 100.
                 * @example 100
                 */
                limit?: string;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEventsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /**
                 * @description Only events after this one: an `id` from your log, or `start` for all.
                 * @example evt_019ca945-0a00-8000-8000-002a2a7e5c10
                 */
                after?: components["parameters"]["after"];
                /**
                 * @description Only events of these types, separated by commas: `user.created`, `user.suspended`, `user.resumed`, `user.kyc_level_changed`, `api_key.created`, `api_key.revoked`, `trade.submitted`, `trade.confirmed`, `trade.failed`, `trade.expired`, `trade.reverted`, `redemption.submitted`, `redemption.preparing`, `redemption.ready`, `redemption.collected`, `redemption.cancellation_requested`, `redemption.cancelled`, `redemption.failed`, `redemption.refunded`, `redemption.burned`, `purchase.confirmed`, `purchase.failed`, `purchase.expired`, `sale.confirmed`, `sale.failed`, `sale.expired`, `withdrawal.confirmed`, `withdrawal.failed`, `withdrawal.expired`, `executives.changed`, `partner.suspended`, `partner.resumed`, `webhook_endpoint.disabled`, `member.invited`.
                 * @example trade.confirmed,trade.failed
                 */
                types?: components["parameters"]["types"];
            };
            header?: {
                /**
                 * @description The last event that was received; browsers send it when they connect again.
                 * @example evt_019ca945-0a00-8000-8000-002a2a7e5c10
                 */
                "last-event-id"?: string;
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamEventsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getVault: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vault"];
                };
            };
            400: components["responses"]["invalid_request_or_onchain_config_missing"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /**
                 * @description Only those of this kind.
                 * @example purchase
                 */
                kind?: "purchase" | "sale" | "withdrawal" | "executive_update";
                /**
                 * @description Only those with this status.
                 * @example confirmed
                 */
                status?: "pending_signature" | "confirmed" | "failed" | "expired";
                /**
                 * @description Only those created at this time or later: ISO 8601 with an offset.
                 * @example 2026-03-01T00:00:00Z
                 */
                created_from?: components["parameters"]["created_from"];
                /**
                 * @description Only those created at this time or earlier: ISO 8601 with an offset.
                 * @example 2026-03-31T23:59:59.999Z
                 */
                created_to?: components["parameters"]["created_to"];
                /**
                 * @description `next_cursor` of the previous page.
                 * @example MTc3MjM2NjQwMDAwMC4wMTljYTk0NS0wYTAwLTdjM2UtOWQ2MS00YjhmMmE3ZTVjMTA
                 */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Rows per page, 1 to 100; default 100.
                 * @example 100
                 */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOrdersResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /**
                 * @description `next_cursor` of the previous page.
                 * @example MTc3MjM2NjQwMDAwMC53ZV8wMTljYTk0NS0wYTAwLTdjM2UtOWQ2MS00YjhmMmE3ZTVjMTA
                 */
                cursor?: string;
                /**
                 * @description Rows per page, 1 to 100; default 100.
                 * @example 100
                 */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookEndpointsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "http://127.0.0.1:3000/karat/events",
                 *       "types": [
                 *         "trade.confirmed",
                 *         "trade.failed"
                 *       ],
                 *       "description": "books trades"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict_or_endpoint_limit_reached"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the endpoint, prefixed `we_`.
                 * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                endpoint_id: components["parameters"]["endpoint_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["endpoint_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the endpoint, prefixed `we_`.
                 * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                endpoint_id: components["parameters"]["endpoint_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteWebhookEndpointResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["endpoint_not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    changeWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the endpoint, prefixed `we_`.
                 * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                endpoint_id: components["parameters"]["endpoint_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "http://127.0.0.1:3000/karat/events",
                 *       "types": [
                 *         "trade.confirmed",
                 *         "trade.failed"
                 *       ],
                 *       "description": "books trades",
                 *       "status": "active"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["endpoint_not_found"];
            409: components["responses"]["transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the endpoint, prefixed `we_`.
                 * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                endpoint_id: components["parameters"]["endpoint_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap_hours": 24
                 *     }
                 */
                "application/json": components["schemas"]["RotateWebhookSecretRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["endpoint_not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the endpoint, prefixed `we_`.
                 * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                endpoint_id: components["parameters"]["endpoint_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestWebhookEndpointResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["endpoint_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only deliveries with this status.
                 * @example failed
                 */
                status?: "pending" | "delivered" | "failed";
                /**
                 * @description Only deliveries of events of this type.
                 * @example trade.confirmed
                 */
                type?: "user.created" | "user.suspended" | "user.resumed" | "user.kyc_level_changed" | "api_key.created" | "api_key.revoked" | "trade.submitted" | "trade.confirmed" | "trade.failed" | "trade.expired" | "trade.reverted" | "redemption.submitted" | "redemption.preparing" | "redemption.ready" | "redemption.collected" | "redemption.cancellation_requested" | "redemption.cancelled" | "redemption.failed" | "redemption.refunded" | "redemption.burned" | "purchase.confirmed" | "purchase.failed" | "purchase.expired" | "sale.confirmed" | "sale.failed" | "sale.expired" | "withdrawal.confirmed" | "withdrawal.failed" | "withdrawal.expired" | "executives.changed" | "partner.suspended" | "partner.resumed" | "webhook_endpoint.disabled" | "member.invited";
                /**
                 * @description Only the delivery of this event.
                 * @example evt_019ca945-0a00-8000-8000-002a2a7e5c10
                 */
                event_id?: string;
                /**
                 * @description `next_cursor` of the previous page.
                 * @example MTc3MjM2NjQwMDAwMC5kbHZfMDE5Y2E5NDUtMGEwMC03YzNlLTlkNjEtNGI4ZjJhN2U1YzEw
                 */
                cursor?: string;
                /**
                 * @description Rows per page, 1 to 100; default 100.
                 * @example 100
                 */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the endpoint, prefixed `we_`.
                 * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                endpoint_id: components["parameters"]["endpoint_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookDeliveriesResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["endpoint_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the endpoint, prefixed `we_`.
                 * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                endpoint_id: components["parameters"]["endpoint_id"];
                /**
                 * @description Id of the delivery.
                 * @example dlv_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryWithBody"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["not_found_or_endpoint_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    resendWebhookEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the endpoint, prefixed `we_`.
                 * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                endpoint_id: components["parameters"]["endpoint_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_id": "evt_019ca945-0a00-8000-8000-002a2a7e5c10"
                 *     }
                 */
                "application/json": components["schemas"]["ResendWebhookEventsRequest"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResendWebhookEventsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_forbidden_or_second_factor_required"];
            404: components["responses"]["endpoint_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listRequests: {
        parameters: {
            query?: {
                /**
                 * @description Only those with this status.
                 * @example 400
                 */
                status?: string;
                /**
                 * @description Only those with this method.
                 * @example POST
                 */
                method?: string;
                /**
                 * @description Only those to this path: with its ids, or as the reference has it.
                 * @example /v1/buy/{trade_id}/submit
                 */
                path?: string;
                /**
                 * @description Only those of this key.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                key_id?: string;
                /**
                 * @description Only those about this object.
                 * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                object_id?: string;
                /**
                 * @description Only those with this `x-request-id`.
                 * @example order-1042
                 */
                q?: string;
                /**
                 * @description `next_cursor` of the previous page.
                 * @example MTc3MjM2NjQwMDAwMC5yZXFfMDE5Y2E5NDUtMGEwMC03YzNlLTlkNjEtNGI4ZjJhN2U1YzEw
                 */
                cursor?: string;
                /**
                 * @description Rows per page, 1 to 100; default 100.
                 * @example 100
                 */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRequestsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the logged request, prefixed `req_`.
                 * @example req_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedRequestDetail"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["request_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getReserves: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedReserveStatement"];
                };
            };
            404: components["responses"]["statement_not_found_unlimited"];
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    getLiveReserves: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backing"];
                };
            };
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    listReserveStatements: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListReserveStatementsResult"];
                };
            };
            400: components["responses"]["invalid_request_unlimited"];
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    getReserveStatement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the statement.
                 * @example rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                statement_id: components["parameters"]["statement_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedReserveStatement"];
                };
            };
            404: components["responses"]["statement_not_found_unlimited"];
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    listReserveBars: {
        parameters: {
            query?: {
                /**
                 * @description `csv`: the same bars as a table; fields that look like formulas are prefixed with `'`.
                 * @example json
                 */
                format?: "json" | "csv";
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the statement.
                 * @example rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                statement_id: components["parameters"]["statement_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListReserveBarsResult"];
                    "text/csv": components["schemas"]["ReserveBarsTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            404: components["responses"]["statement_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    proveReserveBar: {
        parameters: {
            query: {
                /**
                 * @description Refiner stamped on the bar.
                 * @example Valcambi
                 */
                refiner: string;
                /**
                 * @description Serial number stamped on the bar.
                 * @example AA123456
                 */
                serial: string;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the statement.
                 * @example rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                statement_id: components["parameters"]["statement_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InclusionProof"];
                };
            };
            400: components["responses"]["invalid_request"];
            404: components["responses"]["statement_not_found_or_bar_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listAttestationReports: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAttestationReportsResult"];
                };
            };
            400: components["responses"]["invalid_request_unlimited"];
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    getStatement: {
        parameters: {
            query: {
                /**
                 * @description Year and month, of UTC.
                 * @example 2026-02
                 */
                month: string;
                /**
                 * @description `csv`: a table for spreadsheets; `pdf`: a paper to print.
                 * @example json
                 */
                format?: "json" | "csv" | "pdf";
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountStatement"];
                    "text/csv": components["schemas"]["StatementTable"];
                    "application/pdf": components["schemas"]["StatementPaper"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["statement_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getTradeReceipt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the trade, prefixed `trd_`.
                 * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                trade_id: components["parameters"]["trade_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": components["schemas"]["TradeReceipt"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["trade_not_found"];
            409: components["responses"]["receipt_not_ready"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getRedemptionReceipt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the redemption, prefixed `red_`.
                 * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                redemption_id: components["parameters"]["redemption_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": components["schemas"]["RedemptionReceipt"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["receipt_not_ready"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listPaperKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaperKeys"];
                };
            };
            400: components["responses"]["invalid_request_unlimited"];
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    inspectTransaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "transaction": "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAEDb8Zx6FCKjtPE7lpKlhm8brVqBY3tJoE80Fq2f9awbJo0vNn0z9F3NmTcjh1I6p+h1DHg5/QnNZ7l2D88OqTATgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcBAgIAAQwCAAAAAOH1BQAAAAA="
                 *     }
                 */
                "application/json": components["schemas"]["InspectTransactionRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InspectTransactionResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_suspended_or_forbidden_or_second_factor_required"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getOperation: {
        parameters: {
            query?: {
                /**
                 * @description Seconds to wait for a change, 0 to 30; default 0.
                 * @example 5
                 */
                wait?: string;
                /**
                 * @description With `wait`, the status that you know: the response comes at once if it is another by now. Default: the status when the request arrives, so that a change just before is not seen.
                 * @example submitted
                 */
                status?: "submitted" | "confirmed" | "finalized" | "failed" | "expired" | "unknown";
            };
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the trade or redemption.
                 * @example trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                operation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_partner_mismatch_or_partner_suspended_or_second_factor_required"];
            404: components["responses"]["trade_not_found_or_redemption_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetHealthResult"];
                };
            };
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "checks": {
                     *         "database": {
                     *           "status": "ok"
                     *         },
                     *         "chain": {
                     *           "status": "ok"
                     *         },
                     *         "price": {
                     *           "status": "ok"
                     *         },
                     *         "indexer": {
                     *           "status": "ok"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["response_or_service_unavailable_unlimited"];
        };
    };
}
