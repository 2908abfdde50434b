//! Prints the layout that the compiler gives the program's accounts, arguments and event, as JSON: `layout.json`, which a test compares with
//! the IDL. Every field is named here once; one that is missing shows in that comparison.

use karat_program::{
    error::{ERROR_NAMES, FIRST_ERROR},
    event::*,
    instruction::*,
    state::{
        Attestation, Config, Flow, HotKeys, Integrator, PartnerTerms, Proposal, Receipt, Redemption, Settings,
        SettingsProposal, State, Window,
    },
};
use std::mem::{offset_of, size_of};

macro_rules! fields {
    ($base:expr, $type:ty { $($field:ident),* $(,)? }) => {{
        fn size<T, F>(_: fn(&T) -> &F) -> usize { size_of::<F>() }
        vec![$((
            stringify!($field),
            $base + offset_of!($type, $field),
            size::<$type, _>(|value| &value.$field),
        )),*]
    }};
}

type Fields = Vec<(&'static str, usize, usize)>;

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_string();
    words.fold(first, |text, word| text + &word[..1].to_uppercase() + &word[1..])
}

fn object(name: &str, head: &[(&str, usize)], fields: &Fields) -> String {
    let head: String = head.iter().map(|(key, value)| format!("      \"{key}\": {value},\n")).collect();
    let lines: Vec<String> = fields
        .iter()
        .map(|(field, offset, size)| {
            format!("        {{ \"name\": \"{}\", \"offset\": {offset}, \"size\": {size} }}", camel(field))
        })
        .collect();
    let fields = if lines.is_empty() { "[]".into() } else { format!("[\n{}\n      ]", lines.join(",\n")) };
    format!("    {{\n      \"name\": \"{name}\",\n{head}      \"fields\": {fields}\n    }}")
}

fn settings() -> Fields {
    fields!(
        0,
        Settings {
            guardian,
            attestor,
            price_account,
            price_owner,
            feed_id,
            usdc_price_account,
            usdc_feed_id,
            min_price_e8,
            max_price_e8,
            min_usdc_price_e8,
            max_trade_usdc,
            daily_outflow_usdc,
            daily_outflow_gold,
            daily_mint,
            withdraw_owners,
            max_age_open,
            max_age_closed,
            recovery_delay,
            change_delay,
            burn_delay,
            redemption_timeout,
            opposite_side_seconds,
            max_attestation_age,
            max_conf_bps,
            min_fee_bps,
            max_fee_bps,
            require_backing,
            freeze_enabled,
        }
    )
}

fn attestation(base: usize) -> Fields {
    fields!(base, Attestation { amount, as_of, burned_at_as_of, report_hash })
}

fn terms(base: usize) -> Fields {
    fields!(
        base,
        PartnerTerms { status, open_fee_bps, closed_fee_bps, daily_limit_usdc }
    )
}

fn limits(base: usize) -> Fields {
    fields!(base, TradeLimits { max_fee_bps, expire_at })
}

/// Arguments start after the discriminator.
fn arguments(name: &str) -> Fields {
    match name {
        "initialize" => fields!(1, InitializeArgs { admin, hot_keys, settings }),
        "proposeSettings" => fields!(1, ProposeSettingsArgs { expected_settings_seq, settings }),
        "proposeAdmin" => fields!(1, ProposeAdminArgs { new_admin }),
        "replaceKey" => fields!(1, ReplaceKeyArgs { role, old, new }),
        "rotateAccounts" => fields!(1, RotateAccountsArgs { expected_settings_seq }),
        "pause" => fields!(1, PauseArgs { mask }),
        "resume" => fields!(1, ResumeArgs { mask, expected_pause_seq }),
        "setMarket" => fields!(1, SetMarketArgs { market_state }),
        "applySettings" | "cancelSettings" | "acceptAdmin" | "cancelAdmin" | "suspendIntegrator" | "closeReceipt"
        | "thawAccount" => vec![],
        "createIntegrator" => [
            fields!(1, CreateIntegratorArgs { partner_id }),
            terms(1 + offset_of!(CreateIntegratorArgs, terms)),
            fields!(1, CreateIntegratorArgs { partner_wallet, update_authority, withdrawal_authority, executive_count, executives }),
        ]
        .concat(),
        "updateIntegrator" => [
            fields!(1, UpdateIntegratorArgs { expected_terms_seq }),
            terms(1 + offset_of!(UpdateIntegratorArgs, terms)),
        ]
        .concat(),
        "updateExecutives" => fields!(1, UpdateExecutivesArgs { remove_count, remove, add_count, add }),
        "buy" => [
            fields!(1, BuyArgs { usdc_in, min_gold_out, max_gold_out }),
            limits(1 + offset_of!(BuyArgs, limits)),
            fields!(1, BuyArgs { id }),
        ]
        .concat(),
        "sell" | "partnerSale" => [
            fields!(1, SellArgs { gold_in, min_usdc_out, max_usdc_out }),
            limits(1 + offset_of!(SellArgs, limits)),
            fields!(1, SellArgs { id }),
        ]
        .concat(),
        "partnerPurchase" => [
            fields!(1, PartnerPurchaseArgs { gold_out, max_usdc_in, min_usdc_in }),
            limits(1 + offset_of!(PartnerPurchaseArgs, limits)),
            fields!(1, PartnerPurchaseArgs { id }),
        ]
        .concat(),
        "partnerWithdraw" => fields!(1, PartnerWithdrawArgs { amount, expire_at, id }),
        "treasuryWithdraw" => fields!(1, TreasuryWithdrawArgs { amount }),
        "redeem" => fields!(1, RedeemArgs { id, partner_id, amount }),
        "announceBurn" | "cancelBurn" | "reclaimRedemption" => fields!(1, RedemptionArgs { id }),
        "settleRedemption" => fields!(1, SettleRedemptionArgs { id, mode }),
        "sweepEscrow" => fields!(1, SweepEscrowArgs { amount }),
        "attest" => attestation(1 + offset_of!(AttestArgs, attestation)),
        "freezeAccount" => fields!(1, FreezeAccountArgs { reason_hash }),
        "handOverAuthority" | "proposeAuthority" | "cancelAuthority" | "applyAuthority" => {
            fields!(1, AuthorityArgs { role, key })
        }
        "mintGold" => fields!(1, MintGoldArgs { amount }),
        "event" => vec![("event", 1, EVENT_SIZE)],
        other => panic!("no fields listed for {other}"),
    }
}

fn config() -> Fields {
    fields!(
        0,
        Config {
            kind,
            version,
            bump,
            treasury_bump,
            escrow_bump,
            market_state,
            paused,
            reserved_header,
            admin,
            admin_proposal,
            hot_keys,
            usdc_mint,
            gold_mint,
            treasury_authority,
            treasury_usdc,
            treasury_gold,
            fee_usdc,
            escrow_authority,
            escrow_gold,
            settings,
            attestation,
            burned_total,
            escrow_open,
            treasury_paused_until,
            seq,
            settings_seq,
            pause_seq,
            usdc_flow,
            gold_flow,
            minted,
            reserved,
        }
    )
}

fn integrator() -> Fields {
    fields!(
        0,
        Integrator {
            kind,
            version,
            bump,
            status,
            executive_count,
            vault_side,
            reserved_header,
            partner_id,
            seq,
            open_fee_bps,
            closed_fee_bps,
            terms_seq,
            partner_wallet,
            update_authority,
            withdrawal_authority,
            vault_usdc,
            vault_gold,
            executives,
            daily_limit_usdc,
            vault_traded_at,
            usdc_volume,
            proposals,
            reserved,
        }
    )
}

fn receipt() -> Fields {
    fields!(0, Receipt { kind, version, bump, reserved_header, payer, closable_at })
}

fn redemption() -> Fields {
    fields!(
        0,
        Redemption {
            kind,
            version,
            bump,
            was_announced,
            reserved_header,
            id,
            partner_id,
            user,
            rent_payer,
            amount,
            opened_at,
            reclaimable_at,
            burn_ready_at,
        }
    )
}

fn settings_proposal() -> Fields {
    fields!(0, SettingsProposal { kind, version, bump, reserved_header, rent_payer, ready_at, settings })
}

/// Without the byte that names the instruction.
fn event() -> Fields {
    let fields = fields!(
        0,
        Event {
            version,
            kind,
            partner_id,
            seq,
            id,
            side,
            amount_in,
            amount_out,
            fee,
            fee_bps,
            price,
            exponent,
            confidence,
            publish_time,
            market_state,
            actor,
            counterparty,
        }
    );
    fields.into_iter().map(|(name, offset, size)| (name, offset - 1, size)).collect()
}

/// The name and the layout of a `Change`.
fn change<T>(name: &'static str) -> (&'static str, usize, Fields) {
    (name, size_of::<Change<T>>(), fields!(0, Change<T> { before, after }))
}

/// Types of several fields: of accounts, the event, and what may follow it, with the types that those are made of.
fn events() -> Vec<(&'static str, usize, Fields)> {
    vec![
        ("window", size_of::<Window>(), fields!(0, Window { hour, sums })),
        ("flow", size_of::<Flow>(), fields!(0, Flow { outflow, inflow })),
        ("proposal", size_of::<Proposal>(), fields!(0, Proposal { key, ready_at })),
        (
            "hotKeys",
            size_of::<HotKeys>(),
            fields!(0, HotKeys { operations, market, compliance, service_signers }),
        ),
        ("karatEvent", EVENT_SIZE, event()),
        ("settings", size_of::<Settings>(), settings()),
        ("partnerTerms", size_of::<PartnerTerms>(), terms(0)),
        (
            "tokenAccounts",
            size_of::<TokenAccounts>(),
            fields!(0, TokenAccounts { treasury_usdc, treasury_gold, fee_usdc, escrow_gold }),
        ),
        ("executives", size_of::<Executives>(), fields!(0, Executives { count, keys })),
        ("configCreated", size_of::<ConfigCreated>(), fields!(0, ConfigCreated { admin, hot_keys, settings })),
        (
            "proposedSettings",
            size_of::<ProposedSettings>(),
            fields!(0, ProposedSettings { ready_at, settings }),
        ),
        ("adminChange", size_of::<AdminChange>(), fields!(0, AdminChange { before, after, ready_at })),
        ("keyReplaced", size_of::<KeyReplaced>(), fields!(0, KeyReplaced { role, before, after })),
        ("pauseState", size_of::<PauseState>(), fields!(0, PauseState { paused, treasury_paused_until })),
        ("redemptionOpened", size_of::<RedemptionOpened>(), fields!(0, RedemptionOpened { reclaimable_at })),
        ("burnAnnounced", size_of::<BurnAnnounced>(), fields!(0, BurnAnnounced { ready_at })),
        ("accountFreeze", size_of::<AccountFreeze>(), fields!(0, AccountFreeze { account, reason_hash })),
        ("integratorCreated", size_of::<IntegratorCreated>(), fields!(
                0,
                IntegratorCreated { terms, partner_wallet, update_authority, withdrawal_authority, executives }
            )),
        ("attestation", size_of::<Attestation>(), attestation(0)),
        (
            "authorityChange",
            size_of::<AuthorityChange>(),
            fields!(0, AuthorityChange { role, before, after, ready_at }),
        ),
        change::<Settings>("settingsChange"),
        change::<PauseState>("pauseChange"),
        change::<u8>("marketChange"),
        change::<TokenAccounts>("tokenAccountsChange"),
        change::<PartnerTerms>("partnerTermsChange"),
        change::<Executives>("executivesChange"),
        change::<Attestation>("attestationChange"),
    ]
}

fn main() {
    let accounts = [
        object("config", &[("kind", Config::KIND as usize), ("size", Config::SIZE)], &config()),
        object("integrator", &[("kind", Integrator::KIND as usize), ("size", Integrator::SIZE)], &integrator()),
        object("receipt", &[("kind", Receipt::KIND as usize), ("size", Receipt::SIZE)], &receipt()),
        object("redemption", &[("kind", Redemption::KIND as usize), ("size", Redemption::SIZE)], &redemption()),
        object(
            "settingsProposal",
            &[("kind", SettingsProposal::KIND as usize), ("size", SettingsProposal::SIZE)],
            &settings_proposal(),
        ),
    ];
    let instructions: Vec<String> = INSTRUCTIONS
        .iter()
        .map(|(name, discriminator, size)| {
            object(name, &[("discriminator", *discriminator as usize), ("size", *size)], &arguments(name))
        })
        .collect();
    let errors: Vec<String> = ERROR_NAMES
        .iter()
        .enumerate()
        .map(|(index, name)| format!("    {{ \"code\": {}, \"name\": \"{name}\" }}", FIRST_ERROR as usize + index))
        .collect();
    println!("{{\n  \"accounts\": [\n{}\n  ],", accounts.join(",\n"));
    println!("  \"instructions\": [\n{}\n  ],", instructions.join(",\n"));
    let events: Vec<String> =
        events().iter().map(|(name, size, fields)| object(name, &[("size", *size)], fields)).collect();
    println!("  \"events\": [\n{}\n  ],", events.join(",\n"));
    println!("  \"errors\": [\n{}\n  ]\n}}", errors.join(",\n"));
}
