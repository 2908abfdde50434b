import * as operator from './operator/index.js';
import * as partner from './partner/index.js';
import * as tradebook from './tradebook/index.js';

declare const process: { env: Record<string, string> };
const { env } = process;
const amount = 98765.432109;
const ounces = 123.456789;

const trades = new partner.TradesApi(
  new partner.Configuration({ basePath: env.KARAT_PARTNER_URL, apiKey: env.KARAT_PARTNER_KEY }),
);
const quoteBuyRequest = { serviceUserId: env.KARAT_USER ?? '', usdcAmount: amount };
console.log('partner', (await trades.quoteBuy({ quoteBuyRequest })).quote.usdcAmount);

const prices = new tradebook.PricesApi(
  new tradebook.Configuration({ basePath: env.KARAT_TRADEBOOK_URL, apiKey: env.KARAT_TRADEBOOK_KEY }),
);
const estimatePurchaseRequest = { goldAmount: ounces };
console.log('tradebook', (await prices.estimatePurchase({ estimatePurchaseRequest })).data.goldAmount);

const limits = new operator.LimitsApi(
  new operator.Configuration({ basePath: env.KARAT_OPERATOR_URL, accessToken: env.KARAT_OPERATOR_TOKEN }),
);
const changed = await limits.putPartnerLimits({
  partnerId: env.KARAT_PARTNER ?? '',
  putPartnerLimitsRequest: { partnerDailyGold: amount },
});
console.log('operator', changed.own.partnerDailyGold);
