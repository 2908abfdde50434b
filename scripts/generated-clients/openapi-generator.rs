use std::env::var;

const AMOUNT: f64 = 98765.432109;
const OUNCES: f64 = 123.456789;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let trades = karat_partner::apis::configuration::Configuration {
        base_path: var("KARAT_PARTNER_URL")?,
        api_key: Some(karat_partner::apis::configuration::ApiKey { prefix: None, key: var("KARAT_PARTNER_KEY")? }),
        ..Default::default()
    };
    let buy = karat_partner::models::QuoteBuyByUsdcAmount::new(var("KARAT_USER")?, AMOUNT);
    let buy = karat_partner::models::QuoteBuyRequest::QuoteBuyByUsdcAmount(Box::new(buy));
    let quoted = karat_partner::apis::trades_api::quote_buy(&trades, buy, None).await?;
    println!("partner {}", quoted.quote.usdc_amount);

    let prices = karat_tradebook::apis::configuration::Configuration {
        base_path: var("KARAT_TRADEBOOK_URL")?,
        api_key: Some(karat_tradebook::apis::configuration::ApiKey { prefix: None, key: var("KARAT_TRADEBOOK_KEY")? }),
        ..Default::default()
    };
    let estimate = karat_tradebook::models::EstimatePurchaseRequest::new(OUNCES);
    let estimated = karat_tradebook::apis::prices_api::estimate_purchase(&prices, estimate, None).await?;
    println!("tradebook {}", estimated.data.gold_amount);

    let limits = karat_operator::apis::configuration::Configuration {
        base_path: var("KARAT_OPERATOR_URL")?,
        bearer_access_token: Some(var("KARAT_OPERATOR_TOKEN")?),
        ..Default::default()
    };
    let mut change = karat_operator::models::PutPartnerLimitsRequest::new();
    change.partner_daily_gold = Some(AMOUNT);
    let partner = var("KARAT_PARTNER")?;
    let changed = karat_operator::apis::limits_api::put_partner_limits(&limits, &partner, change, None, None).await?;
    println!("operator {}", changed.own.partner_daily_gold.ok_or("the limit is missing")?);
    Ok(())
}
