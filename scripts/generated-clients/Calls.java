public class Calls {
    private static final double AMOUNT = 98765.432109;
    private static final double OUNCES = 123.456789;

    public static void main(String[] args) throws Exception {
        karat.partner.ApiClient trades = new karat.partner.ApiClient();
        trades.setBasePath(System.getenv("KARAT_PARTNER_URL"));
        trades.setApiKey(System.getenv("KARAT_PARTNER_KEY"));
        karat.partner.model.QuoteBuyByUsdcAmount buy = new karat.partner.model.QuoteBuyByUsdcAmount();
        buy.setServiceUserId(System.getenv("KARAT_USER"));
        buy.setUsdcAmount(AMOUNT);
        karat.partner.model.QuoteBuyResult quoted = new karat.partner.api.TradesApi(trades)
            .quoteBuy(new karat.partner.model.QuoteBuyRequest(buy), null);
        System.out.println("partner " + quoted.getQuote().getUsdcAmount());

        karat.tradebook.ApiClient prices = new karat.tradebook.ApiClient();
        prices.setBasePath(System.getenv("KARAT_TRADEBOOK_URL"));
        prices.setApiKey(System.getenv("KARAT_TRADEBOOK_KEY"));
        karat.tradebook.model.EstimatePurchaseRequest estimate = new karat.tradebook.model.EstimatePurchaseRequest();
        estimate.setGoldAmount(OUNCES);
        karat.tradebook.model.EstimatePurchaseResult estimated = new karat.tradebook.api.PricesApi(prices).estimatePurchase(estimate, null);
        System.out.println("tradebook " + estimated.getData().getGoldAmount());

        karat.operator.ApiClient limits = new karat.operator.ApiClient();
        limits.setBasePath(System.getenv("KARAT_OPERATOR_URL"));
        limits.setBearerToken(System.getenv("KARAT_OPERATOR_TOKEN"));
        karat.operator.model.PutPartnerLimitsRequest change = new karat.operator.model.PutPartnerLimitsRequest();
        change.setPartnerDailyGold(AMOUNT);
        karat.operator.model.VelocityLimits changed = new karat.operator.api.LimitsApi(limits)
            .putPartnerLimits(System.getenv("KARAT_PARTNER"), change, null, null);
        System.out.println("operator " + changed.getOwn().getPartnerDailyGold());
        System.exit(0); // the pool of connections would keep the process for minutes
    }
}
