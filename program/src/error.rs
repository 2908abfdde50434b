//! Every error of the program, by what is wrong. From the first release on, codes are append-only: never renumbered, never reused.

use pinocchio::error::ProgramError;

/// Code of the first error.
pub const FIRST_ERROR: u32 = 6000;

macro_rules! errors {
    ($($name:ident),* $(,)?) => {
        /// Why an instruction was refused; one name per cause.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum KaratError { $($name),* }

        /// Names in the order of their codes.
        pub const ERROR_NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

errors! {
    Unauthorized,
    MissingSignature,
    RoleConflict,
    KeyNotInRole,
    InvalidAccountOwner,
    InvalidAccountData,
    InvalidAddress,
    AccountAlias,
    InvalidMint,
    InvalidTokenProgram,
    InvalidTokenOwner,
    TokenAccountFrozen,
    TokenAccountNotFrozen,
    ProtectedAccount,
    AlreadyInitialized,
    NotEnoughAccounts,
    InvalidInstructionData,
    InvalidArgument,
    StaleSequence,
    NothingProposed,
    ProposalPending,
    NotReady,
    ProposalExpired,
    GuardianChangeMixed,
    Paused,
    MarketClosed,
    IntegratorSuspended,
    Expired,
    ExpiryTooFar,
    OrderExecuted,
    NotClosable,
    FeeTooHigh,
    FeeTooLow,
    LimitTooHigh,
    ZeroAmount,
    TradeTooLarge,
    SlippageExceeded,
    PriceMoved,
    OppositeSideTooEarly,
    DailyLimitExceeded,
    InsufficientLiquidity,
    InsufficientFunds,
    ArithmeticOverflow,
    BalanceMismatch,
    OracleInvalidAccount,
    OracleNotVerified,
    OracleFeedMismatch,
    OraclePriceInvalid,
    OracleExponent,
    OracleStale,
    OracleFuture,
    OracleConfidence,
    OracleOutOfBand,
    UsdcOffPeg,
    NotExecutive,
    ExecutiveExists,
    ExecutiveMissing,
    TooManyExecutives,
    NoExecutiveLeft,
    EscrowShort,
    NothingToSweep,
    BurnNotAnnounced,
    BurnAnnounced,
    BurnAnnouncedBefore,
    AttestationStale,
    NotBacked,
    FreezeDisabled,
}

impl KaratError {
    /// The code that clients see.
    pub const fn code(self) -> u32 {
        FIRST_ERROR + self as u32
    }
}

impl From<KaratError> for ProgramError {
    #[inline(always)]
    fn from(error: KaratError) -> Self {
        ProgramError::Custom(error.code())
    }
}

/// `error` unless the condition holds.
#[inline(always)]
pub fn require(condition: bool, error: KaratError) -> Result<(), ProgramError> {
    if condition {
        Ok(())
    } else {
        Err(error.into())
    }
}
