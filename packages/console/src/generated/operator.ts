/** Types of the operator API. Generated from `openapi/operator.json`: npm run generate:openapi. */

export interface paths {
    "/operator/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Opens a session and sets its cookie. The session ends after 12 hours, or after 30 minutes without a request. After 4 wrong passwords for an account from one network, every further attempt from there must wait, from one second up to 15 minutes. After 21 wrong passwords, a network as a whole and an account that is tried from other networks are slowed as well, in the end to one attempt a minute, and so is a /48 of IPv6 after 201. `retry-after` gives the wait. Attempts from other networks do not delay a network that the account has signed in from. For an account with a second factor, the response is 202 with a challenge for the second step, and no session. A change made with the cookie needs `x-karat-console: 1` and an `Origin` of this host. With `KARAT_OPERATOR_PASSWORDS=refused`, 403 `forbidden`: use single sign-on.
         */
        post: operations["signIn"];
        /**
         * Sign out
         * @description Ends the session of the cookie immediately. Who signed in at the identity provider is sent to `end_session_url` to sign out there too.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current operator
         * @description Returns the operator that the token or the session belongs to.
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
    "/operator/v1/session/second-factor": {
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
    "/operator/v1/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your password
         * @description All of your sessions end: sign in again. Tokens stay valid. A wrong current password counts as a failed attempt to sign in. Takes no `Idempotency-Key`, because nothing of a password may be stored except its slow hash.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/session/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the ways to sign in
         * @description Returns how operators can sign in here, for the page that offers it.
         */
        get: operations["getSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/session/single-sign-on": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin single sign-on
         * @description Returns the address of the identity provider (OpenID Connect, authorization code with PKCE) to send the browser to, and sets a cookie by which only this browser can finish, within 10 minutes. The provider sends the browser back to `/single-sign-on` of the host that the page is at: register that address there. Needs an `Origin` of this host.
         */
        post: operations["startSingleSignOn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/session/single-sign-on/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish single sign-on
         * @description Takes what the identity provider sent back, and opens a session like that of a password. The operator is the one whom the provider knows by this issuer and subject, is created at the first sign-in, and has the name and the role of the provider and of `KARAT_OIDC_ROLES` from then on; without a group that has a role, and for a disabled operator, the response is 403 `forbidden`, and the sessions of the operator end. Unless the provider attests to a second factor (`KARAT_OIDC_SECOND_FACTOR`), an operator who has one here gets 202 with a challenge for the second step, `POST /session/second-factor`. 400 `invalid_challenge` means that another browser began the sign-in, or none.
         */
        post: operations["finishSingleSignOn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/me/second-factor": {
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
    "/operator/v1/me/second-factor/challenges": {
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
         * @description Approving (`approval`, with its id), changing your second factors (`account`) and confirming a session (`confirmation`) take a fresh second factor. The challenge is for that one purpose, expires after 2 minutes, and works once. It takes a passkey, or a code from the authenticator app if you have no passkey. Needs a session: 403 `forbidden` without one.
         */
        post: operations["challengeSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/me/second-factor/confirm": {
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
         * @description Takes a fresh second factor for a challenge with the purpose `confirmation`, and returns a `confirmation`. Send it in the header `x-karat-confirmation` with whatever takes two people where two are required, also where one is enough: without it, a person with a second factor gets 403 `second_factor_required` with this `field`. It lasts 5 minutes, is valid for this session only, and replaces an earlier one. Keep it in memory, not in a cookie or in storage. Needs a session: 403 `forbidden` without one.
         */
        post: operations["confirmSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/me/passkeys/options": {
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
    "/operator/v1/me/passkeys": {
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
    "/operator/v1/me/passkeys/{passkey_id}": {
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
    "/operator/v1/me/passkeys/{passkey_id}/remove": {
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
    "/operator/v1/me/totp": {
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
    "/operator/v1/me/totp/confirm": {
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
    "/operator/v1/me/totp/remove": {
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
    "/operator/v1/me/recovery-codes": {
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
    "/operator/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description Lists your open sessions, newest first.
         */
        get: operations["listOwnSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/me/sessions/{session_id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End one of your sessions
         * @description Takes effect immediately: the next request with its cookie is 401.
         */
        post: operations["endOwnSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/me/sessions/end-others": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End your other sessions
         * @description Ends all of your sessions except that of this request, and what was begun to sign in. A request with a token ends all of your sessions. Tokens stay valid.
         */
        post: operations["endOtherSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/operators/{operator_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of an operator
         * @description Lists the open sessions, newest first.
         */
        get: operations["listOperatorSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/operator-sessions/{session_id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session of an operator
         * @description Takes effect immediately: the next request with its cookie is 401.
         */
        post: operations["endOperatorSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/operators/{operator_id}/end-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all sessions of an operator
         * @description Takes effect immediately, and also ends what was begun to sign in. Tokens stay valid, and the operator can sign in again; to prevent that, disable the account.
         */
        post: operations["endOperatorSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what waits, and how the service is
         * @description What the first page shows. `redemptions` are those that wait for a vault, by status, `waiting` the same by city, and `unsettled` those that ended and whose tokens wait to be refunded or burned. `trade_days` are 30 days of UTC, oldest first, of which the last is today.
         */
        get: operations["getSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream what changes
         * @description Server-sent events, each as soon as a change is committed: `data` has the `object_type` and the `object_id` of what has changed, and nothing else; read the object again. The types are those of the audit log and of the events of partners, such as `redemption`, `bar`, `trade`, `approval`, `user` or `partner`, and `dead_letter` and `audit`. `anything`, with `object_id` null, is sent first and whenever changes may have been missed: read everything again. A comment follows every 15 s. An operator may have 20 streams open at once; a further one is 429. A stream ends with its session or token, and does not count as a use of the session.
         */
        get: operations["streamChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your saved views
         * @description Filters of lists that you have saved with a name, in the order in which they were saved. No other operator sees them.
         */
        get: operations["listViews"];
        put?: never;
        /**
         * Save a view
         * @description Saves the filter of a list with a name, for you alone, and at most 20 for each list. What is searched for (`q`) cannot be part of it, because it may be a customer's name.
         */
        post: operations["saveView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/views/{view_id}": {
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
         * Delete a view
         * @description Deletes one of your own saved views, and returns it.
         */
        delete: operations["deleteView"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the operators
         * @description Lists all accounts, including disabled ones, newest first.
         */
        get: operations["listOperators"];
        put?: never;
        /**
         * Open an account for an operator
         * @description Takes no `Idempotency-Key`, because nothing of a password may be stored except its slow hash; a repeated request is 409 `already_exists`. While moving value takes two operators (`KARAT_APPROVALS=2`), accounts that may request or approve it (roles `fulfilment`, `compliance` and `admin`) must be opened on the command line: here they are 403 `forbidden`.
         */
        post: operations["createOperator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/operators/{operator_id}": {
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
         * Change the name or the role of an operator
         * @description Omitted fields stay unchanged. The new role applies from the next request on, including in open sessions; pending approvals of requests that the new role does not allow become `expired`. The last active admin cannot lose the role. A change of role needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        patch: operations["changeOperator"];
        trace?: never;
    };
    "/operator/v1/operators/{operator_id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable an operator
         * @description Takes effect immediately: all sessions end, all tokens are revoked, and pending approvals that the operator requested become `expired`. The last active admin can only be disabled on the command line. Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`; in an emergency, use the command line, which needs no approval.
         */
        post: operations["disableOperator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/operators/{operator_id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable an operator again
         * @description The password is valid again; earlier tokens and sessions are not. Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        post: operations["enableOperator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/operators/{operator_id}/reset-second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the second factor of an operator
         * @description For an operator who has lost it, including the recovery codes. Removes all passkeys, the authenticator app and the recovery codes, and ends all sessions. Until a new one is added, the password alone opens a session, so verify the identity of the operator first. Remove your own under `/me` (403 `forbidden` here). Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        post: operations["resetSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/operators/{operator_id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens of an operator
         * @description Lists active, expired and revoked tokens, newest first. Tokens are created on the command line and last 90 days unless another lifetime was given there; the tokens themselves are never shown again.
         */
        get: operations["listOperatorTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/operator-tokens/{token_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token of an operator
         * @description Takes effect immediately and permanently: the next request with the token is 401.
         */
        post: operations["revokeOperatorToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the partners
         * @description Newest first, with their state on chain. If that is unknown, `onchain_fault` gives the reason.
         */
        get: operations["listPartners"];
        put?: never;
        /**
         * Create a partner
         * @description The partner is active from the start. A first wallet may be registered with it, which needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        post: operations["createPartner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a partner
         * @description Includes the state on chain. If that is unknown, `onchain_fault` gives the reason.
         */
        get: operations["getPartner"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a partner
         * @description Omitted fields stay unchanged. New terms apply to quotes from now on. Another fee, a larger budget and a lower smallest trade need a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        patch: operations["changePartner"];
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite an owner of a partner
         * @description Returns the link by which a person becomes an owner of the partner in its portal: pass it on, since Karat sends no mail. It works once, within 72 hours, and is never shown again. Takes no `Idempotency-Key`, because the link may not be stored. An operator with a second factor confirms the session: 403 `second_factor_required`.
         */
        post: operations["inviteOwner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a partner
         * @description Takes effect immediately: its keys get 403 `partner_suspended`, no new keys are minted, and none of its orders are sent. Transactions that were quoted and signed before can still land if they are sent to a node directly, because the chain does not know about the suspension.
         */
        post: operations["suspendPartner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a partner
         * @description Lifts a suspension: its keys work again. Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        post: operations["resumePartner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a wallet of a partner
         * @description The wallet may mint keys and co-sign trades. It belongs to this partner permanently, revoked or not. Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        post: operations["addPartnerWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}/wallets/{wallet_address}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a wallet of a partner
         * @description Takes effect immediately and permanently, and needs no second operator. The wallet gets no more challenges or keys, and no quotes of trades if the partner has it on chain. The keys that it minted, of both APIs, are revoked with it, and the response lists them.
         */
        post: operations["revokePartnerWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}/onchain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put a partner on chain, or change it there
         * @description If the partner is already on chain, its fees and status can be changed; its wallet and authorities stay unchanged, and only its own update authority changes its executives. 200 if the service holds the operations key or the admin's key and the chain has confirmed the change; 202 with an unsigned `transaction` if it holds neither; 202 with an `approval_id` if a second operator must approve. Without `daily_limit_usdc` the limit stays unchanged; that of a new partner is the treasury's. It cannot be above the treasury's, nor fees outside the bounds of the program's settings. Send the `terms_seq` that you saw as `expected_terms_seq`, so that a change that somebody else has made since then is not undone.
         */
        put: operations["putPartnerOnchain"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}/authorities/{role}/propose": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Propose another wallet or authority of a partner
         * @description For a partner that has lost a key; a partner that still has the key hands it over on chain itself. The proposal can be applied after the recovery delay of the program, and the partner's update or withdrawal authority can cancel it until then. 200 if the service holds the admin's key and the chain has confirmed the proposal, 202 as for `PUT /partners/{partner_id}/onchain`.
         */
        post: operations["proposeAuthority"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}/authorities/{role}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a proposed wallet or authority
         * @description Needs no second operator. The partner can do the same on chain, with its update or withdrawal authority.
         */
        post: operations["cancelAuthority"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}/authorities/{role}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a proposed wallet or authority
         * @description Possible after the recovery delay. A new wallet is registered with the partner as soon as it is on chain, and the old one is revoked.
         */
        post: operations["applyAuthority"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys
         * @description Lists the keys of all partners and of the program's admin, for both APIs, whatever their status, newest first. The keys themselves are never shown.
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
    "/operator/v1/partners/{partner_id}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of a partner
         * @description Lists its keys for both APIs, whatever their status, newest first. The keys themselves are never shown.
         */
        get: operations["listPartnerApiKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/api-keys/{key_id}/revoke": {
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
         * @description Works for keys of either API. Takes effect immediately and permanently: the next request with the key is 401.
         */
        post: operations["revokeApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook endpoints of partners
         * @description Lists where partners have their events sent, newest first. The secrets are never shown; partners register and change their endpoints themselves.
         */
        get: operations["listPartnerWebhookEndpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/webhook-endpoints/{endpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook endpoint
         * @description Returns a partner's webhook endpoint.
         */
        get: operations["getPartnerWebhookEndpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/webhook-endpoints/{endpoint_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook endpoint
         * @description Lists what was and will be sent to the endpoint, newest first, with every attempt. Neither the events, which may hold KYC data, nor the bodies of the responses are shown: the partner sees those.
         */
        get: operations["listPartnerWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/webhook-endpoints/{endpoint_id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a webhook endpoint
         * @description Takes effect immediately: deliveries that are still pending fail, nothing more is sent, and the partner gets the event `webhook_endpoint.disabled`. The partner can make the endpoint active again and have the events sent once more.
         */
        post: operations["disablePartnerWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/countries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the countries
         * @description Lists active and inactive countries, ordered by code.
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
    "/operator/v1/countries/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or change a country
         * @description Users cannot be registered in an inactive country; existing users stay.
         */
        put: operations["putCountry"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/countries/{code}/id-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the id types of a country
         * @description Lists the patterns that numbers of identity documents must match, ordered by type.
         */
        get: operations["listIdTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/countries/{code}/id-types/{id_type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Register a pattern for an id type
         * @description For users who are registered from now on with an `id_number` of this type, the whole number must match the pattern; a refusal shows the example. Existing users are not affected. If the type is registered already, its pattern and example are replaced. Send the ones you last read in `expected`, so that you do not undo a change made since then.
         */
        put: operations["putIdType"];
        post?: never;
        /**
         * Remove the pattern of an id type
         * @description From now on, numbers of this type are accepted without a check. Returns the removed pattern.
         */
        delete: operations["deleteIdType"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/denominations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the denominations
         * @description Lists active and inactive denominations, newest first. A country or city without any gives an empty list.
         */
        get: operations["listDenominations"];
        put?: never;
        /**
         * Create a denomination
         * @description A piece of gold that can be picked up in a city. `id` and `weight_g` (from 0.001 to 1000000, at most 7 decimals) never change. A `label` that names a mass, such as `1 kg` or `1/2 oz`, must name that weight to within half a percent, and it must not contain invisible characters. Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        post: operations["createDenomination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/denominations/{id}": {
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
         * Change a denomination
         * @description Omitted fields stay unchanged. Redemptions that are already quoted or paid keep what they were quoted. An inactive denomination is no longer offered. A new `label` needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`, and the whole change waits.
         */
        patch: operations["changeDenomination"];
        trace?: never;
    };
    "/operator/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users
         * @description Lists the users of all partners, newest first, without KYC records. A filter for an unknown value gives an empty list.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/users/{service_user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Only `compliance` and `admin` see `kyc`, and each such response writes a `user.read_kyc` entry to the audit log.
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
    "/operator/v1/users/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search the customers by their KYC records
         * @description Finds users of all partners by the words of a name, a whole number of an identity document, or both; at most 20, newest first. Upper and lower case, accents, the order of the words and the punctuation of a number do not matter. Words and numbers must be whole: there is no search for parts of them. What is searched for is in the body, because URLs are kept in logs and histories. The audit log has a `user.search_kyc` entry with the reason, and a `user.read_kyc` entry for each user in the response, and nothing of the text. Takes no `Idempotency-Key`, because KYC data is not stored again.
         */
        post: operations["searchCustomers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/users/{service_user_id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a user
         * @description Takes effect immediately: requests for quotes get 403 `user_suspended`, and so does submitting a transaction that was quoted before. Such a transaction can still land if it is sent to a node directly, until its blockhash expires. Redemptions in progress continue.
         */
        post: operations["suspendUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/users/{service_user_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a user
         * @description Lifts a suspension: the user gets quotes again.
         */
        post: operations["resumeUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/users/{service_user_id}/kyc-level": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the KYC level of a user
         * @description For KYC that has lapsed or was restored. With any level other than `full`, requests for quotes get 400 `kyc_level_insufficient`.
         */
        post: operations["setKycLevel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the velocity limits of the service
         * @description What can be moved within 24 hours, by users and by all users of a partner together; trades count with both amounts, redemptions with their GOLD. `own` is what is set here, `effective` what holds together with the limits above: those of the service, and for a user those of the partner.
         */
        get: operations["getLimits"];
        /**
         * Set the velocity limits of the service
         * @description Replaces all limits that are set here; one that is left out is left to the limits above. Lower limits take effect immediately. Anything that lets more through than before needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        put: operations["putLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/partners/{partner_id}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the velocity limits of a partner
         * @description What can be moved within 24 hours, by users and by all users of a partner together; trades count with both amounts, redemptions with their GOLD. `own` is what is set here, `effective` what holds together with the limits above: those of the service, and for a user those of the partner.
         */
        get: operations["getPartnerLimits"];
        /**
         * Set the velocity limits of a partner
         * @description Replaces all limits that are set here; one that is left out is left to the limits above. Lower limits take effect immediately. Anything that lets more through than before needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        put: operations["putPartnerLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/users/{service_user_id}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the velocity limits of a user
         * @description What can be moved within 24 hours, by users and by all users of a partner together; trades count with both amounts, redemptions with their GOLD. `own` is what is set here, `effective` what holds together with the limits above: those of the service, and for a user those of the partner.
         */
        get: operations["getUserLimits"];
        /**
         * Set the velocity limits of a user
         * @description Replaces all limits that are set here; one that is left out is left to the limits above. Lower limits take effect immediately. Anything that lets more through than before needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        put: operations["putUserLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the redemptions
         * @description Lists the redemptions of all partners, oldest first, which is the order to work in. Unpaid quotes are left out. A filter for an unknown value gives an empty list.
         */
        get: operations["listRedemptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a redemption
         * @description Includes its whole history, its bar, and the actions that are possible now. `prepare` becomes possible once the payment is final. Only `fulfilment` and `admin` see the `customer`. The pickup code itself is shown to the partner alone.
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
    "/operator/v1/redemptions/{redemption_id}/prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start preparing a redemption
         * @description From `submitted` to `preparing`; the partner can no longer cancel it. Refused until the payment is final on chain, about 13 seconds after it landed, and while the program does not hold its tokens as recorded; 503 while the Solana nodes contradict each other about that. `bar_serial` reserves that bar, which must be in stock, of this denomination and in this city.
         */
        post: operations["prepareRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the gold as ready
         * @description From `preparing` to `ready`. Refused while the program does not hold its tokens as recorded, unless they are burned; 503 while the Solana nodes contradict each other about that. Needs a bar of this denomination in this city: the one that is reserved, or in its place the one that `bar_serial` names. Issues the pickup code, which the partner reads in its record and shows to the customer.
         */
        post: operations["readyRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Agree to the cancellation of a redemption
         * @description From `cancellation_requested` to `cancelled`, if no gold has been set aside: `physical_gold_committed` must be `false`. The tokens stay in escrow until they are refunded.
         */
        post: operations["cancelRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}/assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assign a redemption to an operator
         * @description Says who sees to it: take it with your own id, hand it to another operator with theirs, or release it with `null`. `instead_of` names the operator who sees to it so far, so that of two who take it at once one gets 409. It keeps no other operator from moving the redemption, and stays when it has ended. Partners do not see it.
         */
        post: operations["assignRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}/collect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the gold as handed over
         * @description From `ready` to `collected`, which completes it; the reserved bar becomes `handed_over`. Takes the eight digits that the customer shows, as `pickup_code`: after five wrong ones the code is locked until another is issued, and each wrong one is in the audit log. Without a code takes `without_code` with a reason, which needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`. While the program does not hold the tokens of the redemption as recorded, the response is 409; once they are burned, only `without_code` is accepted. 503 while the Solana nodes contradict each other about the tokens. Needs a bar of this denomination in this city, before the code is looked at: the reserved one, or in its place the one that `bar_serial` names.
         */
        post: operations["collectRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}/reissue-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue another pickup code
         * @description For a redemption that is `ready`: the code before is void, and five more may be tried. The partner reads the new one in its record; it is shown nowhere here. After three for a redemption, each one needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.
         */
        post: operations["reissuePickupCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}/reveal-identity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the identity of the customer
         * @description Each response writes a `redemption.reveal_identity` entry with the reason to the audit log, and nothing of what was seen. Takes no `Idempotency-Key`, because KYC data is not stored again.
         */
        post: operations["revealIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receipt of a hand-over
         * @description Everything that stands on the receipt of a redemption that is `ready` or `collected`: the issuer (`KARAT_RECEIPT_ISSUER`), the parties, the bar, the weights, the value and the fee, the times and the transaction.
         */
        get: operations["getReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund the tokens of a redemption
         * @description Possible once, for a `cancelled` redemption whose payment is final, and while the program holds its tokens as recorded; 503 while the Solana nodes contradict each other about that. The tokens go back to the token account of the user's wallet, which is created again if it was closed. 200 if the chain has confirmed it, 202 as for `PUT /partners/{partner_id}/onchain`.
         */
        post: operations["refundRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}/burn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Announce the burn of the tokens of a redemption
         * @description For a `collected` redemption, while the program holds its tokens as recorded; 503 while the Solana nodes contradict each other about that. The keeper burns the tokens at `burn_due_at`, when the burn delay of the program is over; until then the guardian can cancel it. Possible once: again only if the announcement was cancelled or not carried out within 14 days, and its user cannot reclaim the tokens by then. 200 if the chain has confirmed the announcement, 202 as for `PUT /partners/{partner_id}/onchain`.
         */
        post: operations["burnRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/redemptions/{redemption_id}/burn/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the announced burn of the tokens of a redemption
         * @description By the guardian, or by the admin: 200 if the service holds one of the two keys and the chain has confirmed it, else 202 with an unsigned `transaction`. The tokens stay in escrow, and their burn can be announced again. Needs no second operator, because it only stops something; for a `collected` redemption that its user can reclaim within two days, it does, because two people may not announce the burn again in time.
         */
        post: operations["cancelBurn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/bars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bars
         * @description Newest first, with those that were handed over or withdrawn.
         */
        get: operations["listBars"];
        put?: never;
        /**
         * Take bars into stock
         * @description Takes 1 to 500 bars as `bars`, or one as the body, each for itself: `bars` are those that were taken, `refused` those that were not, and why. A serial and refiner that are there already are refused, whatever became of that bar. Names are stored with plain letters and digits in place of variants, `-` for every dash and one space between words; invisible characters are refused. The body may have 256 KiB. While `KARAT_APPROVALS=2` this needs a second operator, and a session: 202 with an `approval_id` for the bars that can be taken, all of them or none; 403 `forbidden` for a token.
         */
        post: operations["addBars"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/bars/{bar_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a bar
         * @description Its moves are in the audit log, with the id of the bar as `object_id`.
         */
        get: operations["getBar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a bar
         * @description Omitted fields stay unchanged. A bar in stock can be corrected, moved to another city with its denomination, or withdrawn, which takes a `reason`. `"status":"in_stock"` takes a reserved bar back, and leaves its redemption without one. `reserved` and `handed_over` follow from redemptions alone. Withdrawing, moving and correcting need a second operator while `KARAT_APPROVALS=2`, and a session: 202 with an `approval_id`; 403 `forbidden` for a token.
         */
        patch: operations["changeBar"];
        trace?: never;
    };
    "/operator/v1/bars/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check bars before they are taken into stock
         * @description Says which of 1 to 500 bars would be refused now, and why, and stores nothing: a file can be mended before it is sent. Another request may still be first. Takes no `Idempotency-Key`.
         */
        post: operations["checkBars"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/stock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the stock
         * @description For each city and denomination: the bars, the redemptions that wait for one, and how many bars are missing. Sorted by city and weight.
         */
        get: operations["getStock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the approvals
         * @description Lists requests that wait or waited for a second operator, newest first. `request` is exactly what will be done, `before` what it replaces.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/approvals/{approval_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve the request of another operator
         * @description Executes the request immediately, and returns the response that the request itself would have had. The operator who made the request cannot approve it. Nor can an operator whose account may belong to the same person, because one of the two opened the other or a third operator opened both (403 `forbidden`; see `opened_by` in the list of operators), nor one whose role could not have made the request (403 `insufficient_scope`). Possible within 24 hours, and only while the object is unchanged since the request. In a session, an operator who has a second factor must send a fresh one for a challenge of this approval: a passkey, or a code from the app if there is no passkey. Without it, the response is 403 `second_factor_required`. Where roles need a second factor, a token cannot approve, and nowhere a change of the bars (403 `forbidden`).
         */
        post: operations["approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/approvals/{approval_id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject the request of another operator
         * @description The request is not executed, and can be made again.
         */
        post: operations["reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the trades of users
         * @description Lists the buys and sells on chain, of all partners, newest first. A filter for an unknown value gives an empty list.
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
    "/operator/v1/trades/{trade_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a trade
         * @description Returns what happened on chain, as the partner sees it, and whose trade it was.
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
    "/operator/v1/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the orders of partners
         * @description Lists purchases, sales, withdrawals and changes of executive authorities, of all partners, newest first, including those that reached the chain without the service. A filter for an unknown value gives an empty list.
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
    "/operator/v1/orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an order
         * @description Returns what a partner requested, and what happened on chain.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log
         * @description Lists every change that operators and members of partners made, and every read of KYC data, newest first. For roles that may not read KYC data, `before`, `after` and `reason` of a `user.kyc_level` or `user.search_kyc` entry are null.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the audit log
         * @description Walks the whole chain of hashes: `ok` is false when an entry was changed, removed or added without the service, and `first_bad` is the number of the first such entry. The owner of the tables can cut off the last entries, or rewrite them with their hashes, without changing `ok`: compare `head` with the last entry in the log of the service (`audit_seq`, `audit_hash`).
         */
        get: operations["verifyAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/chain/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the pauses and the state of the market
         * @description Reads the current state from the chain.
         */
        get: operations["getChainStatus"];
        /**
         * Pause, resume, open or close the market
         * @description Omitted fields stay unchanged; an empty request is refused. The guardian signs a pause, the admin a resumption, and the market's own key a change of the market: 200 if the service holds the keys and the chain has confirmed the change, 202 with an unsigned `transaction` if the admin's key is elsewhere. The program refuses a resumption that was decided on before a pause. A pause of `treasury` ends by itself after seven days, unless it is set again; resuming it before takes the guardian's signature as well. The keeper does not change pauses, and does not change the market while a `market` that was set here is in force. Resuming needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`. Pausing never does, so that it is not delayed; with that setting, one request cannot do both.
         */
        put: operations["putChainStatus"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/chain/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the program's settings, and those that are proposed
         * @description Reads the current state from the chain. `pending` is complete: compare it with `settings` to see what it changes.
         */
        get: operations["getChainSettings"];
        put?: never;
        /**
         * Propose other settings of the program
         * @description The admin proposes; the settings can be applied once the change delay is over, within 14 days, and until then the guardian and the admin can cancel them. 409 while others are proposed. What the program would refuse is refused at once. 200 if the service holds the admin's key and the chain has confirmed the proposal, 202 with an unsigned `transaction` if the key is elsewhere. Nothing is sent if nothing would change.
         */
        post: operations["proposeChainSettings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/chain/settings/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply the proposed settings of the program
         * @description Possible from `ready_at` to `expires_at` of the proposal; 409 before and after. It takes no role on chain: the operations key, or else the admin, only pays.
         */
        post: operations["applyChainSettings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/chain/settings/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the proposed settings of the program
         * @description By the guardian, or by the admin: 200 if the service holds one of the two keys, else 202 with an unsigned `transaction`. The guardian cannot cancel the proposal of another guardian. The present settings stay as they are.
         */
        post: operations["cancelChainSettings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/price": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the price of gold
         * @description Returns the latest price of the oracle, however old, as this process sees it, and whether trades execute at it.
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
    "/operator/v1/price/history": {
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
    "/operator/v1/indexer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the progress of the indexer
         * @description Returns how far the chain is recorded in the database, whichever process does the indexing.
         */
        get: operations["getIndexer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the dead letters
         * @description Lists transactions that the indexer could not record, and differences between the chain and the records, newest first. Money may have moved: a person must look at each open dead letter. The page on indexing explains every reason.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/dead-letters/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a dead letter
         * @description The indexer reads the transaction again within seconds and sets `retried_at`. The dead letter is resolved if its reason no longer applies. A `reconciliation_difference` is checked again automatically.
         */
        post: operations["retryDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/dead-letters/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve several dead letters
         * @description Resolves all of these dead letters for one reason, or none of them: an unknown dead letter gives 404, one that is already resolved or is `vanished` gives 409. Each gets its own entry in the audit log. A `vanished` dead letter must be resolved on its own.
         */
        post: operations["resolveDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/dead-letters/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve a dead letter
         * @description For a dead letter that a person has handled. A resolved `reconciliation_difference` counts as explained by the reason, and opens again if its figures change. Resolving `vanished` of a refund, a burn or another operator transaction allows a new request for it; this is refused until the node reports that the finalized chain does not have the transaction and that it can no longer land, and while another dead letter may hide that the same was done in another way.
         */
        post: operations["resolveDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/treasury": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the balances of the treasury
         * @description Returns the current balances on chain, the part of escrow that belongs to open redemptions, and in `backing` whether attestation and bars cover the tokens. `difference` is the result of the last comparison of the chain with the records, as of a finalized slot. It must be 0; the `reconciliation_difference` dead letters explain where any difference comes from.
         */
        get: operations["getTreasury"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/treasury/attestation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prepare an attestation of the gold
         * @description Returns a transaction for the attestor to sign, who also pays for it, and whose key is never in the service: 202. An amount that is doubted is refused with the `field` `confirm` and the figures, until `confirm` repeats it. `karat reserve attest` does the same without the service.
         */
        post: operations["prepareAttestation"];
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
            error: "invalid_request" | "invalid_wallet" | "invalid_challenge" | "invalid_denomination" | "invalid_city" | "broadcast_failed" | "already_revoked" | "bar_required" | "pickup_code_wrong" | "second_factor_wrong" | "unauthorized" | "insufficient_scope" | "forbidden" | "second_factor_required" | "wallet_not_allowed" | "not_found" | "user_not_found" | "trade_not_found" | "redemption_not_found" | "wallet_not_found" | "key_not_found" | "partner_not_found" | "endpoint_not_found" | "method_not_allowed" | "idempotency_conflict" | "transition_not_allowed" | "already_exists" | "wallet_already_registered" | "bar_not_available" | "pickup_code_locked" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "service_unavailable";
            /** @description Text for people; the wording may change. */
            message: string;
            /** @description Path of the input field that caused the error. */
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
            /**
             * Format: int64
             * @description Of `pickup_code_wrong`: how often another code may be tried.
             */
            attempts_left?: number;
        };
        SignInRequest: {
            /** @example ops@example.com */
            email: string;
            /** @example correct horse battery staple */
            password: string;
        };
        SignedInOperator: {
            /** @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10 */
            operator_id: string;
            /** @example ops@example.com */
            email: string;
            /** @example Sana Malik */
            name: string;
            /**
             * @description What the operator may do.
             * @example fulfilment
             * @enum {string}
             */
            role: "viewer" | "fulfilment" | "compliance" | "admin";
            /**
             * @description What the role permits. A page leaves out what would be refused.
             * @example [
             *       "read",
             *       "decide",
             *       "fulfil"
             *     ]
             */
            permissions: ("read" | "read_kyc" | "decide" | "fulfil" | "comply" | "administer")[];
            /**
             * @description Whether sessions of the role need a second factor here.
             * @example true
             */
            second_factor_required: boolean;
            /**
             * @description Whether the operator has a passkey or an authenticator app.
             * @example true
             */
            second_factor_enrolled: boolean;
            /**
             * @description Whether the identity provider attested to a second factor of this session, for an operator who has none here.
             * @example false
             */
            second_factor_attested: boolean;
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
            /**
             * @description Where the browser signs out at the identity provider, if it can there.
             * @example https://login.example.com/logout?client_id=karat
             */
            end_session_url?: string;
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
        SignInMethods: {
            /**
             * @description With email and password.
             * @example true
             */
            password: boolean;
            /**
             * @description At the identity provider.
             * @example true
             */
            single_sign_on: boolean;
        };
        StartSingleSignOnRequest: {
            /**
             * @description Has the person show everything to the provider again, even one who is signed in there: for what needs a confirmation. Default false.
             * @example true
             */
            fresh?: boolean;
        } | null;
        StartSingleSignOnResult: {
            /**
             * @description Where to send the browser.
             * @example https://login.example.com/authorize?client_id=karat&response_type=code
             */
            authorization_url: string;
        };
        FinishSingleSignOnRequest: {
            /**
             * @description The parameter `state` of the address that the provider sent the browser back to.
             * @example ehzBEGmqyj6OBEWYgB5mZuTLwD6dBcZ8OdQsTL4cw4M
             */
            state: string;
            /**
             * @description Its parameter `code`.
             * @example xsb51E_K4kXlFzi3wYVqWw
             */
            code?: string;
            /**
             * @description Its parameter `iss`.
             * @example https://login.example.com
             */
            iss?: string;
            /**
             * @description Its parameter `error`, in place of a code.
             * @example access_denied
             */
            error?: string;
        };
        SignedInBySingleSignOn: {
            /** @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10 */
            operator_id: string;
            /** @example ops@example.com */
            email: string;
            /** @example Sana Malik */
            name: string;
            /**
             * @description What the operator may do.
             * @example fulfilment
             * @enum {string}
             */
            role: "viewer" | "fulfilment" | "compliance" | "admin";
            /**
             * @description What the role permits. A page leaves out what would be refused.
             * @example [
             *       "read",
             *       "decide",
             *       "fulfil"
             *     ]
             */
            permissions: ("read" | "read_kyc" | "decide" | "fulfil" | "comply" | "administer")[];
            /**
             * @description Whether sessions of the role need a second factor here.
             * @example true
             */
            second_factor_required: boolean;
            /**
             * @description Whether the operator has a passkey or an authenticator app.
             * @example true
             */
            second_factor_enrolled: boolean;
            /**
             * @description Whether the identity provider attested to a second factor of this session, for an operator who has none here.
             * @example false
             */
            second_factor_attested: boolean;
            /**
             * @description After a fresh sign-in: the value of `x-karat-confirmation` for the next 5 minutes. Without a password, adding the first second factor takes it too.
             * @example 9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071
             */
            confirmation?: string;
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
            purpose: "account" | "approval" | "confirmation";
            /**
             * @description Id of the request to approve.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            approval_id?: string;
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
        Session: {
            /**
             * @description Id of the session, a UUID; it does not open the session.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            session_id: string;
            /**
             * @description Id of the operator, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            operator_id: string;
            /**
             * @description When the operator signed in.
             * @example 2026-02-14T09:30:00.000Z
             */
            created_at: string;
            /**
             * @description Time of the latest request.
             * @example 2026-02-14T09:34:00.000Z
             */
            last_used_at: string;
            /**
             * @description When the session ends at the latest.
             * @example 2026-02-14T21:30:00.000Z
             */
            expires_at: string;
            /**
             * @description IP address that the operator signed in from.
             * @example 203.0.113.7
             */
            address: string;
            /**
             * @description What the browser calls itself, at most 300 characters; null if it sent nothing.
             * @example Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0
             */
            user_agent: string | null;
            /**
             * @description Whether it was opened with a second factor.
             * @example true
             */
            second_factor: boolean;
            /**
             * @description Whether it is the session of this request.
             * @example true
             */
            current: boolean;
        };
        Total: {
            /**
             * Format: int64
             * @description Rows that were counted.
             * @example 412
             */
            count: number;
            /**
             * @description Whether there are more than were counted.
             * @example false
             */
            more: boolean;
        };
        ListOwnSessionsResult: {
            sessions: components["schemas"]["Session"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example session_id,operator_id,created_at,last_used_at,expires_at,address,user_agent,second_factor,current
         */
        SessionsTable: string;
        EndOwnSessionRequest: Record<string, never> | null;
        EndOwnSessionResult: {
            /** @enum {string} */
            status: "ended";
        };
        EndOtherSessionsRequest: Record<string, never> | null;
        EndOtherSessionsResult: {
            /**
             * Format: int64
             * @description How many sessions were open and have been ended.
             * @example 2
             */
            ended: number;
        };
        ListOperatorSessionsResult: {
            sessions: components["schemas"]["Session"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        EndOperatorSessionRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        EndOperatorSessionResult: {
            /** @enum {string} */
            status: "ended";
        };
        EndOperatorSessionsRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        EndOperatorSessionsResult: {
            /**
             * Format: int64
             * @description How many sessions were open and have been ended.
             * @example 2
             */
            ended: number;
        };
        WaitingByStatus: {
            /**
             * @description What they wait for: `submitted`, `preparing`, `ready` or `cancellation_requested`.
             * @example ready
             * @enum {string}
             */
            status: "submitted" | "preparing" | "ready" | "cancellation_requested";
            /**
             * Format: int64
             * @description How many there are.
             * @example 3
             */
            count: number;
            /**
             * Format: int64
             * @description Those of them that were quoted more than a day ago.
             * @example 1
             */
            over_one_day: number;
            /**
             * Format: int64
             * @description Those of them that were quoted more than three days ago.
             * @example 0
             */
            over_three_days: number;
            /**
             * @description When the oldest was quoted.
             * @example 2026-03-01T12:00:00.000Z
             */
            oldest_at: string | null;
        };
        WaitingInCity: {
            /**
             * @description City of the pickup.
             * @example Karachi
             */
            city: string;
            /**
             * Format: int64
             * @description How many there are.
             * @example 3
             */
            submitted: number;
            /**
             * Format: int64
             * @description How many there are.
             * @example 3
             */
            preparing: number;
            /**
             * Format: int64
             * @description How many there are.
             * @example 3
             */
            ready: number;
            /**
             * Format: int64
             * @description How many there are.
             * @example 3
             */
            cancellation_requested: number;
            /**
             * @description When the oldest was quoted.
             * @example 2026-03-01T12:00:00.000Z
             */
            oldest_at: string;
        };
        Unsettled: {
            /**
             * @description `refund` for cancelled redemptions, `burn` for collected ones.
             * @example burn
             * @enum {string}
             */
            kind: "refund" | "burn";
            /**
             * Format: int64
             * @description How many there are.
             * @example 3
             */
            count: number;
            /**
             * @description When the first of them was cancelled or collected.
             * @example 2026-03-01T12:00:00.000Z
             */
            oldest_at: string;
        };
        TradeDay: {
            /**
             * @description Day of UTC.
             * @example 2026-03-01
             */
            day: string;
            /**
             * Format: int64
             * @description Buys that executed.
             * @example 12
             */
            buys: number;
            /**
             * Format: int64
             * @description Sells that executed.
             * @example 5
             */
            sells: number;
            /**
             * Format: double
             * @description Volume of both. USDC.
             * @example 25400.5
             */
            usdc: number;
            /**
             * Format: double
             * @description Volume of both. GOLD.
             * @example 6.195
             */
            gold: number;
        };
        PriceOfAnHour: {
            /**
             * @description Beginning of the hour.
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /**
             * Format: double
             * @description Last price of the hour, USD per troy ounce.
             * @example 4100.12
             */
            price: number;
        };
        PriceOfTheDay: {
            /**
             * Format: double
             * @description US dollars per troy ounce; null if no price is published.
             * @example 4100.12
             */
            price: number | null;
            /**
             * Format: double
             * @description Half the width of the oracle's confidence interval, in US dollars.
             * @example 0.8
             */
            confidence: number | null;
            /**
             * @description When the oracle published it.
             * @example 2026-03-01T12:00:00.000Z
             */
            publish_time: string | null;
            /**
             * Format: int64
             * @description Since then.
             * @example 3
             */
            age_seconds: number | null;
            /**
             * @description `fresh`: trades execute at this price. `stale`: the price is published, but not accepted now. `unavailable`: no price is known.
             * @example fresh
             * @enum {string}
             */
            status: "fresh" | "stale" | "unavailable";
            /**
             * @description Reason why the price is not fresh; null if it is fresh.
             * @example null
             */
            fault: string | null;
            /**
             * @description State of the market on chain; null while it is unknown.
             * @example open
             */
            market: ("open" | "closed") | null;
            /**
             * Format: double
             * @description Price at the beginning of `hours`, USD per troy ounce; null if none is known.
             * @example 4088.1
             */
            day_open: number | null;
            /**
             * Format: double
             * @description Highest price of the hours; null if none is known.
             * @example 4112.75
             */
            day_high: number | null;
            /**
             * Format: double
             * @description Lowest price of the hours; null if none is known.
             * @example 4080.2
             */
            day_low: number | null;
            hours: components["schemas"]["PriceOfAnHour"][];
        };
        Health: {
            /**
             * @description `price`, `chain`, `indexer`, `keeper` or `treasury`.
             * @example price
             * @enum {string}
             */
            part: "price" | "chain" | "indexer" | "keeper" | "treasury";
            /**
             * @description `ok`, `warning` or `failed`.
             * @example ok
             * @enum {string}
             */
            status: "ok" | "warning" | "failed";
            /**
             * @description One sentence about it.
             * @example The price is fresh.
             */
            message: string;
        };
        GetSummaryResult: {
            /**
             * @description When this was read.
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            redemptions: components["schemas"]["WaitingByStatus"][];
            waiting: components["schemas"]["WaitingInCity"][];
            unsettled: components["schemas"]["Unsettled"][];
            trades_today: components["schemas"]["TradeDay"];
            trade_days: components["schemas"]["TradeDay"][];
            price: components["schemas"]["PriceOfTheDay"];
            health: components["schemas"]["Health"][];
            /**
             * Format: int64
             * @description Number of open dead letters.
             * @example 0
             */
            open_dead_letters: number;
            /**
             * Format: int64
             * @description Approvals that you may decide: requests of others that your role allows.
             * @example 1
             */
            approvals_waiting: number;
        };
        /**
         * @description Events and comments, each followed by an empty line.
         * @example data: {"object_type":"redemption","object_id":"red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10"}
         */
        StreamChangesResult: string;
        SavedView: {
            /**
             * @description Id of the view.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            view_id: string;
            /**
             * @description The list that it is of: the path of the list.
             * @example redemptions
             * @enum {string}
             */
            list: "audit" | "bars" | "dead-letters" | "denominations" | "operators" | "orders" | "partners" | "redemptions" | "trades" | "users" | "webhook-endpoints";
            /**
             * @description What you call it; saving another filter under the same name replaces the first.
             * @example Mine in Karachi
             */
            name: string;
            /**
             * @description Values of the filters of the list, by their names.
             * @example {
             *       "assigned_to": "me",
             *       "city": "Karachi"
             *     }
             */
            filter: {
                [key: string]: unknown;
            };
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        ListViewsResult: {
            views: components["schemas"]["SavedView"][];
        };
        SaveViewRequest: {
            /**
             * @description The list that it is of: the path of the list.
             * @example redemptions
             * @enum {string}
             */
            list: "audit" | "bars" | "dead-letters" | "denominations" | "operators" | "orders" | "partners" | "redemptions" | "trades" | "users" | "webhook-endpoints";
            /**
             * @description What you call it; saving another filter under the same name replaces the first.
             * @example Mine in Karachi
             */
            name: string;
            /**
             * @description Values of the filters of the list, by their names.
             * @example {
             *       "assigned_to": "me",
             *       "city": "Karachi"
             *     }
             */
            filter: {
                [key: string]: string;
            };
        };
        ListedOperator: {
            /**
             * @description Id of the operator, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            operator_id: string;
            /**
             * @description Address that the operator signs in with; only one account can use an address.
             * @example ops@example.com
             */
            email: string;
            /**
             * @description Name of the operator, as the audit log shows it.
             * @example Sana Malik
             */
            name: string;
            /**
             * @description What the operator may do.
             * @example fulfilment
             * @enum {string}
             */
            role: "viewer" | "fulfilment" | "compliance" | "admin";
            /**
             * @description `active` or `disabled`; a disabled operator can use neither a password nor a token.
             * @example active
             * @enum {string}
             */
            status: "active" | "disabled";
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
             * @description Operators who may know the password: the one who opened the account over the API, and those who may know the opener's password. Empty once the password has been set on the command line. Two accounts do not count as two people for an approval if one of them is listed for the other, or if the same operator is listed for both.
             * @example [
             *       "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10"
             *     ]
             */
            opened_by: string[];
            /** @description The second factors of the operator; null if there are none, and null for requests of roles other than `admin`. */
            second_factor: {
                /**
                 * Format: int64
                 * @description Number of passkeys.
                 * @example 2
                 */
                passkeys: number;
                /**
                 * @description Whether there is an authenticator app.
                 * @example false
                 */
                totp: boolean;
                /**
                 * @description When the oldest of them was added.
                 * @example 2026-02-14T09:30:00.000Z
                 */
                since: string;
            } | null;
        };
        ListOperatorsResult: {
            operators: components["schemas"]["ListedOperator"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example operator_id,email,name,role,status,created_at,updated_at,opened_by,second_factor.passkeys,second_factor.totp,second_factor.since
         */
        OperatorsTable: string;
        CreateOperatorRequest: {
            /**
             * @description Address that the operator signs in with; only one account can use an address.
             * @example ops@example.com
             */
            email: string;
            /**
             * @description Name of the operator, as the audit log shows it.
             * @example Sana Malik
             */
            name: string;
            /**
             * @description What the operator may do.
             * @example fulfilment
             * @enum {string}
             */
            role: "viewer" | "fulfilment" | "compliance" | "admin";
            /**
             * @description 12 to 1000 characters; only its argon2id hash is kept.
             * @example correct horse battery staple
             */
            password: string;
        };
        Operator: {
            /**
             * @description Id of the operator, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            operator_id: string;
            /**
             * @description Address that the operator signs in with; only one account can use an address.
             * @example ops@example.com
             */
            email: string;
            /**
             * @description Name of the operator, as the audit log shows it.
             * @example Sana Malik
             */
            name: string;
            /**
             * @description What the operator may do.
             * @example fulfilment
             * @enum {string}
             */
            role: "viewer" | "fulfilment" | "compliance" | "admin";
            /**
             * @description `active` or `disabled`; a disabled operator can use neither a password nor a token.
             * @example active
             * @enum {string}
             */
            status: "active" | "disabled";
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
        ChangeOperatorRequest: {
            /**
             * @description Name of the operator, as the audit log shows it.
             * @example Sana Malik
             */
            name?: string;
            /**
             * @description What the operator may do.
             * @example fulfilment
             * @enum {string}
             */
            role?: "viewer" | "fulfilment" | "compliance" | "admin";
        };
        WaitingForApproval: {
            /**
             * @description Id of the pending approval.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            approval_id: string;
            /**
             * @description When the approval expires, 24 hours after the request.
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string;
        };
        DisableOperatorRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        EnableOperatorRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        ResetSecondFactorRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        Token: {
            /**
             * @description Id of the token, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            token_id: string;
            /**
             * @description Id of the operator, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            operator_id: string;
            /**
             * @description A name for the token.
             * @example nightly report
             */
            token_name: string;
            /**
             * @description `active`, `expired` or `revoked`.
             * @example active
             * @enum {string}
             */
            status: "active" | "expired" | "revoked";
            /**
             * @description When the token expires; from then on, requests with it are 401.
             * @example 2026-05-30T12:00:00.000Z
             */
            expires_at: string;
            /**
             * @description Time of the latest request with this token; null if there was none.
             * @example 2026-03-01T12:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When the token was revoked; null if it was not.
             * @example null
             */
            revoked_at: string | null;
        };
        ListOperatorTokensResult: {
            tokens: components["schemas"]["Token"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example token_id,operator_id,token_name,status,expires_at,last_used_at,created_at,revoked_at
         */
        TokensTable: string;
        RevokeOperatorTokenRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        PartnerOnChain: {
            /**
             * @description Account of the partner in the program.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            integrator_address: string;
            /**
             * @description Owner of the accounts that hold the partner's reserves.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            central_vault_address: string;
            /**
             * Format: int64
             * @description How many times its terms on chain (status, fees and limit) have been set so far.
             * @example 3
             */
            terms_seq: number;
            /**
             * @description `active` or `suspended`, as the program on chain has it.
             * @example active
             * @enum {string}
             */
            status: "active" | "suspended";
            /**
             * @description Wallet that co-signs trades; must be a registered wallet.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            wallet_address: string;
            /**
             * Format: int64
             * @description Fee of trades while the market is open, in basis points.
             * @example 50
             */
            open_fee_bps: number;
            /**
             * Format: int64
             * @description Fee of trades while the market is closed, in basis points.
             * @example 100
             */
            closed_fee_bps: number;
            /**
             * @description Most that the users and the vault together may trade in 24 hours, in USDC before the fee; `none` for no limit.
             * @example 5000000
             */
            daily_limit_usdc: number | "none";
            /**
             * Format: double
             * @description Amount that they traded in the last 24 hours, as the program counts it, hour by hour.
             * @example 0
             */
            daily_volume_usdc: number;
            /**
             * @description Wallet that changes the executive authorities.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            update_authority: string;
            /**
             * @description Wallet that withdraws from the vault.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            withdrawal_authority: string;
            executive_authorities: string[];
            /** @description Keys that the admin proposes to replace keys that the partner lost; empty if nothing is proposed. */
            proposed_authorities: {
                /**
                 * @description Which key of the partner: `wallet`, `update` or `withdrawal`.
                 * @example update
                 * @enum {string}
                 */
                role: "wallet" | "update" | "withdrawal";
                /**
                 * @description The proposed key, which replaces the current one when it is applied.
                 * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
                 */
                address: string;
                /**
                 * @description When the proposal can be applied.
                 * @example 2026-03-02T12:00:00.000Z
                 */
                ready_at: string;
            }[];
            balances: {
                /**
                 * Format: double
                 * @description Balance of the vault. GOLD.
                 * @example 250
                 */
                gold: number;
                /**
                 * Format: double
                 * @description Balance of the vault. USDC.
                 * @example 1000000
                 */
                usdc: number;
            };
        };
        Partner: {
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
             * @description `active` or `suspended`; keys of a suspended partner are refused.
             * @example active
             * @enum {string}
             */
            status: "active" | "suspended";
            /**
             * Format: double
             * @description Fee of redemptions as a fraction, from 0 to 0.5, at most 6 decimals: 0.015 is 1.5 %.
             * @example 0.015
             */
            fee_percentage: number;
            /**
             * Format: int64
             * @description Lamports that the service may pay to the network for what lands of the partner within an hour (by UTC, from the full hour on), failures included, less the fees that it earns by trades, of which a USDC makes up for 1,000,000 lamports. Beyond that, quotes are 429 `rate_limited` with the reason `fee_budget_used`.
             * @example 500000000
             */
            fee_budget_lamports_per_hour: number;
            /**
             * Format: double
             * @description The smallest trade of its users in USDC, at most 6 decimals; 0 for any.
             * @example 0
             */
            min_trade_usdc: number;
            wallets: {
                /**
                 * @description Address of one of the partner's registered wallets.
                 * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
                 */
                wallet_address: string;
                /**
                 * @description `active` or `revoked`; a revoked wallet is never active again.
                 * @example active
                 * @enum {string}
                 */
                status: "active" | "revoked";
                /**
                 * @description UTC, with milliseconds.
                 * @example 2026-03-01T12:00:00.000Z
                 */
                created_at: string;
                /**
                 * @description When the wallet was revoked; null while it is active.
                 * @example null
                 */
                revoked_at: string | null;
            }[];
            /** @description State read from the chain: null if the partner is not on chain, absent while that is unknown. */
            onchain?: components["schemas"]["PartnerOnChain"] | null;
            /**
             * @description Reason why the state on chain is unknown; present only while `onchain` is absent.
             * @example The Solana node does not respond.
             */
            onchain_fault?: string;
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
        ListPartnersResult: {
            partners: components["schemas"]["Partner"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example partner_id,name,status,fee_percentage,fee_budget_lamports_per_hour,min_trade_usdc,wallets,onchain.integrator_address,onchain.central_vault_address,onchain.terms_seq,onchain.status,onchain.wallet_address,onchain.open_fee_bps,onchain.closed_fee_bps,onchain.daily_limit_usdc,onchain.daily_volume_usdc,onchain.update_authority,onchain.withdrawal_authority,onchain.executive_authorities,onchain.proposed_authorities,onchain.balances.gold,onchain.balances.usdc,onchain_fault,created_at,updated_at
         */
        PartnersTable: string;
        CreatePartnerRequest: {
            /**
             * @description Name of the partner.
             * @example Acme Gold
             */
            name: string;
            /**
             * Format: double
             * @description Fee of redemptions as a fraction, from 0 to 0.5, at most 6 decimals: 0.015 is 1.5 %.
             * @example 0.015
             */
            fee_percentage: number;
            /**
             * @description Address of one of the partner's registered wallets.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            wallet_address?: string;
        };
        ChangePartnerRequest: {
            /**
             * @description Name of the partner.
             * @example Acme Gold
             */
            name?: string;
            /**
             * Format: double
             * @description Fee of redemptions as a fraction, from 0 to 0.5, at most 6 decimals: 0.015 is 1.5 %.
             * @example 0.015
             */
            fee_percentage?: number;
            /**
             * Format: int64
             * @description Lamports that the service may pay to the network for what lands of the partner within an hour (by UTC, from the full hour on), failures included, less the fees that it earns by trades, of which a USDC makes up for 1,000,000 lamports. Beyond that, quotes are 429 `rate_limited` with the reason `fee_budget_used`.
             * @example 500000000
             */
            fee_budget_lamports_per_hour?: number;
            /**
             * Format: double
             * @description The smallest trade of its users in USDC, at most 6 decimals; 0 for any.
             * @example 0
             */
            min_trade_usdc?: number;
        };
        InviteOwnerRequest: {
            /**
             * @description Email of the member, in lower case.
             * @example sana@acme.example
             */
            email: string;
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
        SuspendPartnerRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        ResumePartnerRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        AddPartnerWalletRequest: {
            /**
             * @description Address of one of the partner's registered wallets.
             * @example F8ygFE7UDSmJQxdJ9zCgQqPwWZRLwzGucYqG1fhuPC1e
             */
            wallet_address: string;
        };
        Wallet: {
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
            /**
             * @description Address of one of the partner's registered wallets.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            wallet_address: string;
            /**
             * @description `active` or `revoked`; a revoked wallet is never active again.
             * @example active
             * @enum {string}
             */
            status: "active" | "revoked";
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When the wallet was revoked; null while it is active.
             * @example null
             */
            revoked_at: string | null;
        };
        RevokePartnerWalletRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        RevokedWallet: {
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
            /**
             * @description Address of one of the partner's registered wallets.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            wallet_address: string;
            /**
             * @description `active` or `revoked`; a revoked wallet is never active again.
             * @example active
             * @enum {string}
             */
            status: "active" | "revoked";
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When the wallet was revoked; null while it is active.
             * @example null
             */
            revoked_at: string | null;
            /** @description Keys that the wallet minted, and that no longer work. */
            revoked_api_keys: {
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
                 * @description `partner` or `tradebook`.
                 * @example partner
                 * @enum {string}
                 */
                surface: "partner" | "tradebook";
            }[];
        };
        PutPartnerOnchainRequest: {
            /**
             * @description Wallet that co-signs trades; must be a registered wallet.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            wallet_address: string;
            /**
             * Format: int64
             * @description Fee of trades while the market is open, in basis points.
             * @example 50
             */
            open_fee_bps: number;
            /**
             * Format: int64
             * @description Fee of trades while the market is closed, in basis points.
             * @example 100
             */
            closed_fee_bps: number;
            /**
             * @description Most that the users and the vault together may trade in 24 hours, in USDC before the fee; `none` for no limit.
             * @example 5000000
             */
            daily_limit_usdc?: number | "none";
            /**
             * @description Wallet that changes the executive authorities.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            update_authority: string;
            /**
             * @description Wallet that withdraws from the vault.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            withdrawal_authority: string;
            executive_authorities: string[];
            /**
             * @description `active` or `suspended`, as the program on chain has it.
             * @example active
             * @enum {string}
             */
            status?: "active" | "suspended";
            /**
             * Format: int64
             * @description The `terms_seq` that the change is based on; 0 for a partner that was not on chain. If it has changed since, the response is 409.
             * @example 3
             */
            expected_terms_seq?: number;
        };
        ChangedPartnerOnChain: {
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            tx_hash: string;
            onchain: components["schemas"]["PartnerOnChain"];
        };
        WaitingForApprovalOrSignature: {
            /**
             * @description Id of the pending approval.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            approval_id: string;
            /**
             * @description When the approval expires, 24 hours after the request.
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string;
        } | {
            /**
             * @description Unsigned legacy transaction, base64: its signers must sign it unchanged and send it. Wrapped in another transaction, it could land too late, next to a second one.
             * @example AQAAAAAAAAAA
             */
            transaction: string;
            /**
             * @description Keys that must still sign.
             * @example [
             *       "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD"
             *     ]
             */
            signers: string[];
            /**
             * @description When the transaction can no longer land, after about a minute.
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string;
        };
        ProposeAuthorityRequest: {
            /**
             * @description The proposed key, which replaces the current one when it is applied.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            address: string;
        };
        CancelAuthorityRequest: {
            /**
             * @description The proposed key, which replaces the current one when it is applied.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            address: string;
        };
        ApplyAuthorityRequest: {
            /**
             * @description The proposed key, which replaces the current one when it is applied.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            address: string;
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
             * @description `partner` or `tradebook`.
             * @example partner
             * @enum {string}
             */
            surface: "partner" | "tradebook";
            /**
             * @description `PARTNER`, or the roles that a tradebook key was minted with, separated by spaces.
             * @example PARTNER
             */
            scope: string;
            /**
             * @description `active`, `revoked`, or `expired` for a tradebook key with a limited lifetime.
             * @example active
             * @enum {string}
             */
            status: "active" | "revoked" | "expired";
            /**
             * @description Id of the partner; null for a key of the program's admin.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string | null;
            /**
             * @description Wallet that signed for the key.
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
             * @description When the key expires; null if it never does.
             * @example null
             */
            expires_at: string | null;
            /**
             * @description When the key was revoked.
             * @example null
             */
            revoked_at: string | null;
        };
        ApiKeyList: {
            api_keys: components["schemas"]["ApiKey"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example key_id,key_name,surface,scope,status,partner_id,wallet_address,last_used_at,created_at,expires_at,revoked_at
         */
        ApiKeysTable: string;
        RevokeApiKeyRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        PartnerWebhookEndpoint: {
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
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
        ListPartnerWebhookEndpointsResult: {
            webhook_endpoints: components["schemas"]["PartnerWebhookEndpoint"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example partner_id,endpoint_id,url,types,description,status,failing_since,previous_secret_until,created_at,updated_at
         */
        WebhookEndpointsTable: string;
        PartnerWebhookDelivery: {
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
        ListPartnerWebhookDeliveriesResult: {
            deliveries: components["schemas"]["PartnerWebhookDelivery"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example delivery_id,event_id,type,status,attempts,next_attempt_at,created_at
         */
        DeliveriesTable: string;
        DisablePartnerWebhookEndpointRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        Country: {
            /**
             * @description ISO 3166-1 alpha-2 code in upper or lower case; responses have capitals.
             * @example PK
             */
            code: string;
            /**
             * @description Name of the country.
             * @example Pakistan
             */
            name: string;
            /**
             * @description Whether residents may be registered as users.
             * @example true
             */
            active: boolean;
        };
        ListCountriesResult: {
            countries: components["schemas"]["Country"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example code,name,active
         */
        CountriesTable: string;
        PutCountryRequest: {
            /**
             * @description Name of the country.
             * @example Pakistan
             */
            name: string;
            /**
             * @description Whether residents may be registered as users.
             * @example true
             */
            active: boolean;
        };
        IdType: {
            /**
             * @description ISO 3166-1 alpha-2 code in upper or lower case; responses have capitals.
             * @example PK
             */
            country: string;
            /**
             * @description Kind of identity document: the `id_type` of the KYC data.
             * @example cnic
             */
            id_type: string;
            /**
             * @description RE2 expression that the whole `id_number` must match; look-around and back-references are not supported.
             * @example [0-9]{5}-[0-9]{7}-[0-9]
             */
            pattern: string;
            /**
             * @description A number that matches the pattern, to show to callers.
             * @example 42101-1234567-1
             */
            example: string | null;
        };
        ListIdTypesResult: {
            id_types: components["schemas"]["IdType"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example country,id_type,pattern,example
         */
        IdTypesTable: string;
        PutIdTypeRequest: {
            /**
             * @description RE2 expression that the whole `id_number` must match; look-around and back-references are not supported.
             * @example [0-9]{5}-[0-9]{7}-[0-9]
             */
            pattern: string;
            /**
             * @description A number that matches the pattern, to show to callers.
             * @example 42101-1234567-1
             */
            example?: string;
            /** @description The pattern and example that the change is based on. Omit what was not set; send an empty object for a type that was not registered. If they have changed since, the response is 409. */
            expected?: {
                /**
                 * @description RE2 expression that the whole `id_number` must match; look-around and back-references are not supported.
                 * @example [0-9]{5}-[0-9]{7}-[0-9]
                 */
                pattern?: string;
                /**
                 * @description A number that matches the pattern, to show to callers.
                 * @example 42101-1234567-1
                 */
                example?: string;
            };
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
             * @description ISO 3166-1 alpha-2 code of the country, in upper or lower case.
             * @example PK
             */
            country: string;
            /**
             * @description City of the pickup.
             * @example Karachi
             */
            city: string;
            /**
             * @description Whether it is offered.
             * @example true
             */
            active: boolean;
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
        ListDenominationsResult: {
            denominations: components["schemas"]["Denomination"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example id,label,weight_g,weight_troy_oz,country,city,active,created_at,updated_at
         */
        DenominationsTable: string;
        CreateDenominationRequest: {
            /**
             * @description Id of the denomination, from the list of denominations.
             * @example pk_tola_1
             */
            id: string;
            /**
             * Format: double
             * @description Grams.
             * @example 11.6638038
             */
            weight_g: number;
            /**
             * @description Label of the denomination.
             * @example 1 tola bar
             */
            label: string;
            /**
             * @description ISO 3166-1 alpha-2 code of the country, in upper or lower case.
             * @example PK
             */
            country: string;
            /**
             * @description City of the pickup.
             * @example Karachi
             */
            city: string;
            /**
             * @description Whether it is offered.
             * @example true
             */
            active: boolean;
        };
        ChangeDenominationRequest: {
            /**
             * @description Label of the denomination.
             * @example 1 tola bar
             */
            label?: string;
            /**
             * @description ISO 3166-1 alpha-2 code of the country, in upper or lower case.
             * @example PK
             */
            country?: string;
            /**
             * @description City of the pickup.
             * @example Karachi
             */
            city?: string;
            /**
             * @description Whether it is offered.
             * @example true
             */
            active?: boolean;
        };
        User: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
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
        ListUsersResult: {
            users: components["schemas"]["User"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example service_user_id,partner_id,user_id,wallet_address,status,created_at,updated_at
         */
        UsersTable: string;
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
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
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
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
            kyc?: components["schemas"]["Kyc"];
        };
        SearchCustomersRequest: {
            /**
             * @description Words of the name; all of them must be in it.
             * @example Khan
             */
            full_name?: string;
            /**
             * @description The whole number of an identity document: `id_number` of `kyc_data`.
             * @example 42101-1234567-1
             */
            id_number?: string;
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        FoundCustomer: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
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
             * @description Name of the user; null if the KYC record cannot be read.
             * @example Ayesha Khan
             */
            full_name: string | null;
            /**
             * @description Country of the KYC record; null if it cannot be read.
             * @example PK
             */
            country: string | null;
            /**
             * @description Kind of identity document; null if the partner named none.
             * @example cnic
             */
            id_type: string | null;
            /**
             * @description Its last four characters; null if the partner named none.
             * @example ****67-1
             */
            id_number_masked: string | null;
        };
        SearchCustomersResult: {
            users: components["schemas"]["FoundCustomer"][];
            /**
             * @description Whether more users match than are shown: search for more words.
             * @example false
             */
            has_more: boolean;
        };
        SuspendUserRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        ResumeUserRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        SetKycLevelRequest: {
            /**
             * @description At most 32 lower-case letters, digits and underscores, starting with a letter. Only `full` gets quotes. The level is written to the audit log.
             * @example lapsed
             */
            kyc_level: string;
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        UserWithLevel: {
            /**
             * @description Id of the user, prefixed `gu_`.
             * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            service_user_id: string;
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
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
             * @description With any level other than `full`, quotes are refused.
             * @example lapsed
             */
            kyc_level: string;
        };
        VelocityLimitValues: {
            /**
             * @description Most USDC that a user may move within 24 hours; null or absent: not set here.
             * @example 10000
             */
            user_daily_usdc: number | null;
            /**
             * @description Most GOLD that a user may move within 24 hours; null or absent: not set here.
             * @example 5
             */
            user_daily_gold: number | null;
            /**
             * @description Most USDC that all users of a partner together may move within 24 hours; null or absent: not set here.
             * @example 2000000
             */
            partner_daily_usdc: number | null;
            /**
             * @description Most GOLD that all users of a partner together may move within 24 hours; null or absent: not set here.
             * @example 500
             */
            partner_daily_gold: number | null;
        };
        VelocityUsed: {
            /**
             * Format: double
             * @description USDC that was moved within 24 hours, with what is submitted.
             * @example 1250.5
             */
            usdc: number;
            /**
             * Format: double
             * @description GOLD that was moved within 24 hours, with what is submitted.
             * @example 0.75
             */
            gold: number;
        };
        VelocityLimits: {
            own: components["schemas"]["VelocityLimitValues"];
            effective: components["schemas"]["VelocityLimitValues"];
            /** @description What counts against the limits now; null for those of the service. */
            used: components["schemas"]["VelocityUsed"] | null;
        };
        PutLimitsRequest: {
            /**
             * Format: double
             * @description Most USDC that a user may move within 24 hours; null or absent: not set here.
             * @example 10000
             */
            user_daily_usdc?: number;
            /**
             * Format: double
             * @description Most GOLD that a user may move within 24 hours; null or absent: not set here.
             * @example 5
             */
            user_daily_gold?: number;
            /**
             * Format: double
             * @description Most USDC that all users of a partner together may move within 24 hours; null or absent: not set here.
             * @example 2000000
             */
            partner_daily_usdc?: number;
            /**
             * Format: double
             * @description Most GOLD that all users of a partner together may move within 24 hours; null or absent: not set here.
             * @example 500
             */
            partner_daily_gold?: number;
        };
        PutPartnerLimitsRequest: {
            /**
             * Format: double
             * @description Most USDC that a user may move within 24 hours; null or absent: not set here.
             * @example 10000
             */
            user_daily_usdc?: number;
            /**
             * Format: double
             * @description Most GOLD that a user may move within 24 hours; null or absent: not set here.
             * @example 5
             */
            user_daily_gold?: number;
            /**
             * Format: double
             * @description Most USDC that all users of a partner together may move within 24 hours; null or absent: not set here.
             * @example 2000000
             */
            partner_daily_usdc?: number;
            /**
             * Format: double
             * @description Most GOLD that all users of a partner together may move within 24 hours; null or absent: not set here.
             * @example 500
             */
            partner_daily_gold?: number;
        };
        PutUserLimitsRequest: {
            /**
             * Format: double
             * @description Most USDC that a user may move within 24 hours; null or absent: not set here.
             * @example 10000
             */
            user_daily_usdc?: number;
            /**
             * Format: double
             * @description Most GOLD that a user may move within 24 hours; null or absent: not set here.
             * @example 5
             */
            user_daily_gold?: number;
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
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
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
             * @description Id of the denomination, from the list of denominations.
             * @example pk_tola_1
             */
            denomination_id: string;
            /**
             * @description Public key of the user, base58; a wallet can belong to only one user.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            wallet_address: string;
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
             * @description Transaction that returns, or returned, the tokens.
             * @example null
             */
            refund_tx_hash: string | null;
            /**
             * @description When the burn of the tokens was announced; null while it is not.
             * @example null
             */
            burn_announced_at: string | null;
            /**
             * @description From when on the program allows it, and the keeper burns them.
             * @example null
             */
            burn_due_at: string | null;
            /**
             * @description Transaction that burns, or burned, the tokens; null until then.
             * @example null
             */
            burn_tx_hash: string | null;
            /**
             * @description The approval of its refund or burn that is waiting for a second operator.
             * @example null
             */
            approval_id: string | null;
            /**
             * @description Whether it waits longer than a customer should: `late` after a day since the quote, `overdue` after three; null once it has ended.
             * @example on_time
             */
            age: ("on_time" | "late" | "overdue") | null;
            /**
             * @description The operator who sees to it; null while none does. Others can still move it.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            assignee_id: string | null;
            /**
             * @description Name of that operator.
             * @example Sana Malik
             */
            assignee_name: string | null;
        };
        ListRedemptionsResult: {
            redemptions: components["schemas"]["Redemption"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example redemption_id,status,denomination,weight_g,city,quote.spot_price_usd,quote.gold_value_usd,quote.fee_usd,quote.total_usd,quote.tokens_required,submitted_tx_hash,reason,program_error_name,message,created_at,updated_at,partner_id,service_user_id,user_id,denomination_id,wallet_address,final,failure_reason,refund_tx_hash,burn_announced_at,burn_due_at,burn_tx_hash,approval_id,age,assignee_id,assignee_name
         */
        RedemptionsTable: string;
        StatusChange: {
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /**
             * @description Previous status; null for the payment.
             * @example submitted
             */
            from: ("submitted" | "preparing" | "ready" | "collected" | "cancellation_requested" | "cancelled" | "failed") | null;
            /**
             * @description `submitted`, `preparing`, `ready`, `collected`, `cancellation_requested`, `cancelled` or `failed`.
             * @example submitted
             * @enum {string}
             */
            to: "submitted" | "preparing" | "ready" | "collected" | "cancellation_requested" | "cancelled" | "failed";
            /**
             * @description Who changed the status: `operator:` or `key:` with an id, `indexer`, or `operator:command-line`.
             * @example operator:019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            actor: string;
            /**
             * @description Name of that operator or of the partner's key; otherwise null.
             * @example Sana Malik
             */
            actor_name: string | null;
            /**
             * @description A note, kept in the history and in the audit log. Must not contain KYC data.
             * @example Bar 1042 is on its way
             */
            note: string | null;
        };
        Assignable: {
            /**
             * @description Id of the operator, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            operator_id: string;
            /**
             * @description Name of that operator.
             * @example Sana Malik
             */
            name: string;
        };
        Settlement: {
            /**
             * @description `refund` or `burn`.
             * @example refund
             * @enum {string}
             */
            kind: "refund" | "burn";
            /**
             * @description `pending` until the transaction is on chain or can no longer land, then `confirmed`, `failed` or `expired`.
             * @example confirmed
             * @enum {string}
             */
            status: "pending" | "confirmed" | "failed" | "expired";
            /**
             * Format: double
             * @description Tokens that leave escrow. GOLD.
             * @example 0.380625
             */
            amount: number;
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            tx_hash: string | null;
            /**
             * @description Reason why the chain rejected the transaction; null if it did not.
             * @example null
             */
            failure_reason: string | null;
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
        Customer: {
            /**
             * @description The partner's own id for the user; unique within the partner.
             * @example customer-1042
             */
            user_id: string;
            /**
             * @description Name of the user.
             * @example Ayesha Khan
             */
            full_name: string | null;
            /**
             * @description ISO 3166-1 alpha-2 code of an active country of the service, in upper or lower case.
             * @example PK
             */
            country: string | null;
            /**
             * @description Kind of identity document; null if the partner named none.
             * @example cnic
             */
            id_type: string | null;
            /**
             * @description Its last four characters; null if the partner named none.
             * @example ****67-1
             */
            id_number_masked: string | null;
        };
        Bar: {
            /**
             * @description Id of the bar, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            bar_id: string;
            /**
             * @description Serial number, as the refiner stamped it on the bar.
             * @example A123456
             */
            serial: string;
            /**
             * @description Refiner who made the bar.
             * @example Valcambi
             */
            refiner: string;
            /**
             * Format: double
             * @description Parts of gold per thousand: at least 500, below 1000, at most 3 decimals.
             * @example 999.9
             */
            fineness: number;
            /**
             * Format: double
             * @description Grams, at most 7 decimals; that of the denomination to within half a percent.
             * @example 11.6638038
             */
            weight_g: number;
            /**
             * @description Id of the denomination, from the list of denominations.
             * @example pk_tola_1
             */
            denomination_id: string;
            /**
             * @description City of the vault; one in which some denomination is handed over.
             * @example Karachi
             */
            city: string;
            /**
             * @description `in_stock`, `reserved`, `handed_over` or `withdrawn`.
             * @example in_stock
             * @enum {string}
             */
            status: "in_stock" | "reserved" | "handed_over" | "withdrawn";
            /**
             * @description Redemption that the bar is reserved for or was handed over for; null otherwise.
             * @example null
             */
            redemption_id: string | null;
            /**
             * @description Why the bar was withdrawn; null otherwise.
             * @example null
             */
            reason: string | null;
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
        Pickup: {
            /**
             * @description When the pickup code was issued.
             * @example 2026-03-01T12:00:00.000Z
             */
            code_issued_at: string;
            /**
             * Format: int64
             * @description How often a code may still be tried.
             * @example 5
             */
            attempts_left: number;
            /**
             * @description Whether no try is left, so that another code has to be issued.
             * @example false
             */
            locked: boolean;
        };
        RedemptionCase: {
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
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
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
             * @description Id of the denomination, from the list of denominations.
             * @example pk_tola_1
             */
            denomination_id: string;
            /**
             * @description Public key of the user, base58; a wallet can belong to only one user.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            wallet_address: string;
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
             * @description Transaction that returns, or returned, the tokens.
             * @example null
             */
            refund_tx_hash: string | null;
            /**
             * @description When the burn of the tokens was announced; null while it is not.
             * @example null
             */
            burn_announced_at: string | null;
            /**
             * @description From when on the program allows it, and the keeper burns them.
             * @example null
             */
            burn_due_at: string | null;
            /**
             * @description Transaction that burns, or burned, the tokens; null until then.
             * @example null
             */
            burn_tx_hash: string | null;
            /**
             * @description The approval of its refund or burn that is waiting for a second operator.
             * @example null
             */
            approval_id: string | null;
            /**
             * @description Whether it waits longer than a customer should: `late` after a day since the quote, `overdue` after three; null once it has ended.
             * @example on_time
             */
            age: ("on_time" | "late" | "overdue") | null;
            /**
             * @description The operator who sees to it; null while none does. Others can still move it.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            assignee_id: string | null;
            /**
             * @description Name of that operator.
             * @example Sana Malik
             */
            assignee_name: string | null;
            /**
             * @description The reason; shown in the record.
             * @example null
             */
            cancellation_reason: string | null;
            history: components["schemas"]["StatusChange"][];
            /**
             * @description Actions that are possible now: each is the last part of a path, `cancel-burn` that of `burn/cancel`.
             * @example [
             *       "ready"
             *     ]
             */
            available_actions: ("prepare" | "ready" | "collect" | "cancel" | "reissue-code" | "refund" | "burn" | "cancel-burn")[];
            /** @description Operators whom you can have see to it; empty for roles that may not, and once it has ended. */
            assignable_to: components["schemas"]["Assignable"][];
            /** @description What happens to the tokens; null until that is decided. */
            settlement: components["schemas"]["Settlement"] | null;
            /** @description Whose it is; null for roles that may not hand it over. */
            customer: components["schemas"]["Customer"] | null;
            /** @description The bar that is reserved or was handed over; null while there is none. */
            bar: components["schemas"]["Bar"] | null;
            /** @description The state of its pickup code; null while it has none. */
            pickup: components["schemas"]["Pickup"] | null;
        };
        PrepareRedemptionRequest: {
            /**
             * @description Serial of the bar. Upper and lower case, variants of dashes and spacing make no difference.
             * @example PKTOLA1-001
             */
            bar_serial?: string;
            /**
             * @description Refiner of the bar; needed when bars of several refiners have the serial.
             * @example Valcambi
             */
            bar_refiner?: string;
            /**
             * @description A note, kept in the history and in the audit log. Must not contain KYC data.
             * @example Bar 1042 is on its way
             */
            note?: string;
        } | null;
        MovedRedemption: {
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
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
        };
        ReadyRedemptionRequest: {
            /**
             * @description Serial of the bar. Upper and lower case, variants of dashes and spacing make no difference.
             * @example PKTOLA1-001
             */
            bar_serial?: string;
            /**
             * @description Refiner of the bar; needed when bars of several refiners have the serial.
             * @example Valcambi
             */
            bar_refiner?: string;
            /**
             * @description A note, kept in the history and in the audit log. Must not contain KYC data.
             * @example Bar 1042 is on its way
             */
            note?: string;
        } | null;
        CancelRedemptionRequest: {
            /**
             * @description Must be `false`: no gold has been set aside for the redemption.
             * @example false
             */
            physical_gold_committed: boolean;
            /**
             * @description A note, kept in the history and in the audit log. Must not contain KYC data.
             * @example Bar 1042 is on its way
             */
            note?: string;
        };
        AssignRedemptionRequest: {
            /**
             * @description The operator who sees to it from now on; null for none.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            assignee_id: string | null;
            /**
             * @description The operator who sees to it so far; left out or null while none does.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c11
             */
            instead_of?: string | null;
        };
        AssignedRedemption: {
            /**
             * @description Id of the redemption, prefixed `red_`.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            redemption_id: string;
            /**
             * @description The operator who sees to it; null while none does. Others can still move it.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            assignee_id: string | null;
            /**
             * @description Name of that operator.
             * @example Sana Malik
             */
            assignee_name: string | null;
        };
        CollectRedemptionRequest: {
            /**
             * @description The eight digits that the customer shows.
             * @example 04711338
             */
            pickup_code?: string;
            without_code?: {
                /**
                 * @description The reason; kept in the audit log.
                 * @example Requested by the partner, ticket 4711
                 */
                reason: string;
            };
            /**
             * @description Serial of the bar. Upper and lower case, variants of dashes and spacing make no difference.
             * @example PKTOLA1-001
             */
            bar_serial?: string;
            /**
             * @description Refiner of the bar; needed when bars of several refiners have the serial.
             * @example Valcambi
             */
            bar_refiner?: string;
            /**
             * @description A note, kept in the history and in the audit log. Must not contain KYC data.
             * @example Bar 1042 is on its way
             */
            note?: string;
        };
        ReissuePickupCodeRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        IssuedPickupCode: {
            /**
             * @description Id of the redemption, prefixed `red_`.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            redemption_id: string;
            /**
             * @description When the pickup code was issued.
             * @example 2026-03-01T12:00:00.000Z
             */
            code_issued_at: string;
        };
        RevealIdentityRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        Identity: {
            /**
             * @description Kind of identity document; null if the partner named none.
             * @example cnic
             */
            id_type: string | null;
            /**
             * @description Number of the identity document; null if the partner named none.
             * @example 42101-1234567-1
             */
            id_number: string | null;
            /**
             * @description Anything else about the check. An `id_number` must match the pattern that is registered for its `id_type` and the country, if there is one.
             * @example {
             *       "id_type": "cnic",
             *       "id_number": "42101-1234567-1"
             *     }
             */
            kyc_data: {
                [key: string]: unknown;
            } | null;
        };
        Issuer: {
            /**
             * @description Name of the company.
             * @example Karat Vaults DMCC
             */
            name: string;
            /**
             * @description Its address.
             * @example Almas Tower, Dubai, United Arab Emirates
             */
            address: string;
            /**
             * @description Its number in the register of companies.
             * @example DMCC-123456
             */
            registration_number: string;
        };
        Receipt: {
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
            /** @description Who issues the receipt; null while `KARAT_RECEIPT_ISSUER` is not set. */
            issuer: components["schemas"]["Issuer"] | null;
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
            /**
             * @description Name of the partner.
             * @example Acme Gold
             */
            partner_name: string;
            /** @description Whose it is; null for roles that may not hand it over. */
            customer: components["schemas"]["Customer"] | null;
            /**
             * @description Public key of the user, base58; a wallet can belong to only one user.
             * @example 4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H
             */
            wallet_address: string;
            /**
             * @description City of the pickup.
             * @example Karachi
             */
            city: string;
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
             * @description Troy ounces, rounded to 6 decimals.
             * @example 0.375
             */
            weight_troy_oz: number;
            /** @description The bar that is reserved or was handed over; null while there is none. */
            bar: components["schemas"]["Bar"] | null;
            /**
             * @description GOLD that the user pays, with 6 decimals. Tokens, not dollars.
             * @example 0.380625
             */
            tokens: string;
            quote: components["schemas"]["RedemptionFigures"];
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            tx_hash: string | null;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            quoted_at: string;
            /**
             * @description When that was; null if it was not yet.
             * @example 2026-03-01T12:00:00.000Z
             */
            paid_at: string | null;
            /**
             * @description When that was; null if it was not yet.
             * @example 2026-03-01T12:00:00.000Z
             */
            prepared_at: string | null;
            /**
             * @description When that was; null if it was not yet.
             * @example 2026-03-01T12:00:00.000Z
             */
            ready_at: string | null;
            /**
             * @description When that was; null if it was not yet.
             * @example null
             */
            collected_at: string | null;
            /**
             * @description Name of the operator who handed it over; null before.
             * @example null
             */
            handed_over_by: string | null;
            /**
             * @description When this receipt was made.
             * @example 2026-03-01T12:00:00.000Z
             */
            issued_at: string;
        };
        RefundRedemptionRequest: Record<string, never> | null;
        Refund: {
            /**
             * @description Id of the redemption, prefixed `red_`.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            redemption_id: string;
            /**
             * @description Base58 signature of the transaction, as explorers and nodes show it.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            refund_tx_hash: string;
        };
        BurnRedemptionRequest: Record<string, never> | null;
        Burn: {
            /**
             * @description Id of the redemption, prefixed `red_`.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            redemption_id: string;
            /**
             * @description When the burn of the tokens was announced; null while it is not.
             * @example null
             */
            burn_announced_at: string | null;
            /**
             * @description From when on the program allows it, and the keeper burns them.
             * @example null
             */
            burn_due_at: string | null;
            /**
             * @description Transaction that burns, or burned, the tokens; null until then.
             * @example null
             */
            burn_tx_hash: string | null;
            /**
             * @description Transaction of the announcement, or of its cancellation.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            tx_hash: string;
        };
        CancelBurnRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        ListBarsResult: {
            bars: components["schemas"]["Bar"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example bar_id,serial,refiner,fineness,weight_g,denomination_id,city,status,redemption_id,reason,created_at,updated_at
         */
        BarsTable: string;
        ReportedBar: {
            /**
             * @description Serial number, as the refiner stamped it on the bar.
             * @example A123456
             */
            serial: string;
            /**
             * @description Refiner who made the bar.
             * @example Valcambi
             */
            refiner: string;
            /**
             * Format: double
             * @description Parts of gold per thousand: at least 500, below 1000, at most 3 decimals.
             * @example 999.9
             */
            fineness: number;
            /**
             * Format: double
             * @description Grams, at most 7 decimals; that of the denomination to within half a percent.
             * @example 11.6638038
             */
            weight_g: number;
            /**
             * @description Id of the denomination, from the list of denominations.
             * @example pk_tola_1
             */
            denomination_id: string;
            /**
             * @description City of the vault; one in which some denomination is handed over.
             * @example Karachi
             */
            city: string;
        };
        AddBarsRequest: {
            /** @description The bars. */
            bars: components["schemas"]["ReportedBar"][];
        } | components["schemas"]["ReportedBar"];
        RefusedBar: {
            /**
             * Format: int64
             * @description Place of the bar in the request, from 0.
             * @example 1
             */
            index: number;
            /**
             * @description Serial number, as the refiner stamped it on the bar.
             * @example A123456
             */
            serial: string;
            /**
             * @description Refiner who made the bar.
             * @example Valcambi
             */
            refiner: string;
            /**
             * @description Error code: why the bar was not taken.
             * @example already_exists
             */
            error: string;
            /**
             * @description The same for people.
             * @example The bar A123456 of Valcambi is already there.
             */
            message: string;
            /**
             * @description Field of the bar that caused it; null if none did.
             * @example serial
             */
            field: string | null;
        };
        AddedBars: {
            bars: components["schemas"]["Bar"][];
            refused: components["schemas"]["RefusedBar"][];
        };
        BarsWaitingForApproval: {
            /**
             * @description Id of the pending approval.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            approval_id: string;
            /**
             * @description When the approval expires, 24 hours after the request.
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string;
            refused: components["schemas"]["RefusedBar"][];
        };
        ChangeBarRequest: {
            /**
             * @description City of the vault; one in which some denomination is handed over.
             * @example Karachi
             */
            city?: string;
            /**
             * @description Another of the same weight, such as that of the city which the bar is moved to.
             * @example pk_tola_1
             */
            denomination_id?: string;
            /**
             * Format: double
             * @description Parts of gold per thousand: at least 500, below 1000, at most 3 decimals.
             * @example 999.9
             */
            fineness?: number;
            /**
             * Format: double
             * @description Grams, at most 7 decimals; that of the denomination to within half a percent.
             * @example 11.6638038
             */
            weight_g?: number;
            /**
             * @description `in_stock` or `withdrawn`.
             * @example in_stock
             * @enum {string}
             */
            status?: "in_stock" | "withdrawn";
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        };
        CheckBarsRequest: {
            /** @description The bars. */
            bars: components["schemas"]["ReportedBar"][];
        };
        CheckBarsResult: {
            refused: components["schemas"]["RefusedBar"][];
        };
        Stock: {
            /**
             * @description City of the vault; one in which some denomination is handed over.
             * @example Karachi
             */
            city: string;
            /**
             * @description Id of the denomination, from the list of denominations.
             * @example pk_tola_1
             */
            denomination_id: string;
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
             * Format: int64
             * @description Bars that can be reserved.
             * @example 12
             */
            in_stock: number;
            /**
             * Format: int64
             * @description Bars that are set aside for redemptions.
             * @example 3
             */
            reserved: number;
            /**
             * Format: int64
             * @description Redemptions under way that no bar is reserved for yet.
             * @example 14
             */
            waiting: number;
            /**
             * Format: int64
             * @description Bars that are missing for them.
             * @example 2
             */
            short_by: number;
        };
        GetStockResult: {
            stock: components["schemas"]["Stock"][];
        };
        /**
         * @description A header, and a line for each row.
         * @example city,denomination_id,denomination,weight_g,in_stock,reserved,waiting,short_by
         */
        StockTable: string;
        Approval: {
            /**
             * @description Id of the pending approval.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            approval_id: string;
            /**
             * @description What was requested: `redemption.refund`, `redemption.burn`, `redemption.cancel_burn`, `redemption.collect`, `partner.onchain`, `authority.propose`, `authority.apply`, `partner.create`, `partner.change`, `partner.add_wallet`, `partner.resume`, `denomination.create`, `denomination.change`, `limits.change`, `operator.change`, `operator.disable`, `operator.enable`, `operator.reset_second_factor` or `chain.status`.
             * @example redemption.refund
             */
            action: string;
            /**
             * @description Kind of the object.
             * @example redemption
             */
            object_type: string;
            /**
             * @description Id of the object.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            object_id: string;
            /**
             * @description Exactly what will be done.
             * @example {
             *       "redemption_id": "red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
             *       "status": "cancelled",
             *       "tokens": "0.380625"
             *     }
             */
            request: {
                [key: string]: unknown;
            };
            /**
             * @description Values that the change replaces, in the same fields; null if there are none yet, and for movements of tokens.
             * @example null
             */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `pending`, `approved`, `rejected`, or `expired`: after 24 hours, or when the operator who requested it may no longer do it.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "approved" | "rejected" | "expired";
            /**
             * @description Operator who requested it.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            requested_by: string;
            /**
             * @description Name of that operator.
             * @example Sana Malik
             */
            requested_by_name: string;
            /**
             * @description Operator who decided; null until then.
             * @example null
             */
            decided_by: string | null;
            /**
             * @description Operator who decided; null until then.
             * @example null
             */
            decided_by_name: string | null;
            /**
             * @description Reason why it was rejected or ended early; null otherwise.
             * @example null
             */
            reason: string | null;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When the approval expires, 24 hours after the request.
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string;
            /**
             * @description When it was decided; null until then.
             * @example null
             */
            decided_at: string | null;
            /**
             * @description What you can do with it now; each is the last part of a path. Empty for your own request; only `reject` if you and the requester may be the same person.
             * @example [
             *       "approve",
             *       "reject"
             *     ]
             */
            available_actions: ("approve" | "reject")[];
        };
        ListApprovalsResult: {
            approvals: components["schemas"]["Approval"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example approval_id,action,object_type,object_id,request,before,status,requested_by,requested_by_name,decided_by,decided_by_name,reason,created_at,expires_at,decided_at,available_actions
         */
        ApprovalsTable: string;
        ApproveRequest: {
            second_factor?: components["schemas"]["FreshFactor"];
        } | null;
        ChangedChainStatus: {
            paused: {
                /**
                 * @description Buys and sells of users.
                 * @example false
                 */
                trade: boolean;
                /**
                 * @description Purchases and sales of partners.
                 * @example false
                 */
                partner: boolean;
                /**
                 * @description Withdrawals from vaults.
                 * @example false
                 */
                withdraw: boolean;
                /**
                 * @description Payments of redemptions.
                 * @example false
                 */
                redeem: boolean;
                /**
                 * @description Refunds of redemptions, and announcing and doing burns.
                 * @example false
                 */
                settle: boolean;
                /**
                 * @description Withdrawals from the treasury, mints of GOLD, and sweeps of escrow.
                 * @example false
                 */
                treasury: boolean;
            };
            /**
             * @description State of the market on chain.
             * @example open
             * @enum {string}
             */
            market: "open" | "closed";
            /**
             * @description An operator's setting that overrides the calendar; null when there is none.
             * @example null
             */
            market_override: {
                /**
                 * @description State of the market on chain.
                 * @example open
                 * @enum {string}
                 */
                market: "open" | "closed";
                /**
                 * @description When it ends; null if it lasts until it is taken back.
                 * @example null
                 */
                until: string | null;
            } | null;
            /**
             * @description Transaction of the change; null if nothing had to change.
             * @example null
             */
            tx_hash: string | null;
        };
        ApproveResult: components["schemas"]["Partner"] | components["schemas"]["Wallet"] | components["schemas"]["Denomination"] | components["schemas"]["Operator"] | components["schemas"]["MovedRedemption"] | components["schemas"]["Bar"] | components["schemas"]["AddedBars"] | components["schemas"]["IssuedPickupCode"] | components["schemas"]["VelocityLimits"] | components["schemas"]["ChangedChainStatus"] | components["schemas"]["Refund"] | components["schemas"]["Burn"] | components["schemas"]["ChangedPartnerOnChain"];
        RejectRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        RejectResult: {
            /**
             * @description Id of the pending approval.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            approval_id: string;
            /** @enum {string} */
            status: "rejected";
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
            /**
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
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
             * Format: int64
             * @description Slot of the transaction.
             * @example 371204731
             */
            slot: number;
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
        };
        ListTradesResult: {
            trades: components["schemas"]["Trade"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example trade_id,side,status,usdc_amount,gold_amount,price_per_troy_oz,fee_bps,fee_usd,submitted_tx_hash,reason,program_error_name,message,created_at,updated_at,partner_id,service_user_id,user_id,slot,final,failure_reason
         */
        TradesTable: string;
        Order: {
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
             * @description Id of the partner, a UUID.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            partner_id: string;
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
            orders: components["schemas"]["Order"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example id,kind,status,partner_id,key_id,signer,destination,token,gold_amount,usdc_amount,usdc_limit,quoted_price,max_fee_bps,added,removed,metadata,tx_hash,slot,executed_gold,executed_usdc,executed_price,fee_usdc,final,failure_reason,reason,program_error_name,expires_at,created_at,updated_at
         */
        OrdersTable: string;
        AuditEntry: {
            /**
             * Format: int64
             * @description Number of the entry: 1, 2, 3, without gaps.
             * @example 42
             */
            seq: number;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /**
             * @description Who made the change; null for the command line, for a failed sign-in, and for a key that a wallet minted.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            operator_id: string | null;
            /**
             * @description Name of that operator.
             * @example Sana Malik
             */
            operator_name: string | null;
            /**
             * @description Id of the member of a partner who made it; null for anyone else.
             * @example null
             */
            member_id: string | null;
            /**
             * @description Name of the member; null for anyone else.
             * @example null
             */
            member_name: string | null;
            /**
             * @description Id of the partner of the member; null for anyone else.
             * @example null
             */
            partner_id: string | null;
            /**
             * @description What was done.
             * @example redemption.ready
             */
            action: string;
            /**
             * @description Kind of the thing that was changed.
             * @example redemption
             */
            object_type: string;
            /**
             * @description Id of the object.
             * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            object_id: string;
            /**
             * @description What people know it by: the name of a partner or operator, the serial of a bar, item and city of a redemption, the partner's own id of a user; null for all else.
             * @example 1 tola bar, Karachi
             */
            object_name: string | null;
            /**
             * @description State before the change; null if there was none.
             * @example {
             *       "status": "ready"
             *     }
             */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description State after the change; null if there is none.
             * @example {
             *       "status": "ready"
             *     }
             */
            after: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The reason that the operator gave; null if none was given.
             * @example null
             */
            reason: string | null;
            /**
             * @description `x-request-id` of the request; null for the command line.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            request_id: string | null;
            /**
             * @description Hash of the previous entry, in hexadecimal digits.
             * @example 0000000000000000000000000000000000000000000000000000000000000000
             */
            previous_hash: string;
            /**
             * @description SHA-256 of the previous hash and this entry.
             * @example c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7
             */
            hash: string;
        };
        ListAuditEntriesResult: {
            entries: components["schemas"]["AuditEntry"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example seq,at,operator_id,operator_name,member_id,member_name,partner_id,action,object_type,object_id,object_name,before,after,reason,request_id,previous_hash,hash
         */
        EntriesTable: string;
        VerifyAuditLogResult: {
            /**
             * @description Whether every entry is intact.
             * @example true
             */
            ok: boolean;
            /**
             * Format: int64
             * @description Number of entries that are intact, from the first one on.
             * @example 42
             */
            rows: number;
            /**
             * Format: int64
             * @description Number of the first entry that was changed or is missing.
             * @example 17
             */
            first_bad?: number;
            /** @description The last entry, as the log itself records it; null if that record is lost. */
            head: {
                /**
                 * Format: int64
                 * @description Number of the entry: 1, 2, 3, without gaps.
                 * @example 42
                 */
                seq: number;
                /**
                 * @description SHA-256 of the previous hash and this entry.
                 * @example c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7
                 */
                hash: string;
            } | null;
        };
        ChainStatus: {
            paused: {
                /**
                 * @description Buys and sells of users.
                 * @example false
                 */
                trade: boolean;
                /**
                 * @description Purchases and sales of partners.
                 * @example false
                 */
                partner: boolean;
                /**
                 * @description Withdrawals from vaults.
                 * @example false
                 */
                withdraw: boolean;
                /**
                 * @description Payments of redemptions.
                 * @example false
                 */
                redeem: boolean;
                /**
                 * @description Refunds of redemptions, and announcing and doing burns.
                 * @example false
                 */
                settle: boolean;
                /**
                 * @description Withdrawals from the treasury, mints of GOLD, and sweeps of escrow.
                 * @example false
                 */
                treasury: boolean;
            };
            /**
             * @description State of the market on chain.
             * @example open
             * @enum {string}
             */
            market: "open" | "closed";
            /**
             * @description An operator's setting that overrides the calendar; null when there is none.
             * @example null
             */
            market_override: {
                /**
                 * @description State of the market on chain.
                 * @example open
                 * @enum {string}
                 */
                market: "open" | "closed";
                /**
                 * @description When it ends; null if it lasts until it is taken back.
                 * @example null
                 */
                until: string | null;
            } | null;
        };
        PutChainStatusRequest: {
            paused?: {
                /**
                 * @description Buys and sells of users.
                 * @example false
                 */
                trade?: boolean;
                /**
                 * @description Purchases and sales of partners.
                 * @example false
                 */
                partner?: boolean;
                /**
                 * @description Withdrawals from vaults.
                 * @example false
                 */
                withdraw?: boolean;
                /**
                 * @description Payments of redemptions.
                 * @example false
                 */
                redeem?: boolean;
                /**
                 * @description Refunds of redemptions, and announcing and doing burns.
                 * @example false
                 */
                settle?: boolean;
                /**
                 * @description Withdrawals from the treasury, mints of GOLD, and sweeps of escrow.
                 * @example false
                 */
                treasury?: boolean;
            };
            /**
             * @description `closed` lasts until it is taken back, `open` until the calendar opens the market by itself, and `auto` leaves the market to the calendar.
             * @example closed
             * @enum {string}
             */
            market?: "open" | "closed" | "auto";
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        };
        ProgramSettings: {
            /**
             * @description Key that pauses, and cancels what is proposed or announced. A proposal of another one changes nothing else.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            guardian: string;
            /**
             * @description Key that attests how much gold there is; null: there is none.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            attestor: string | null;
            /**
             * @description Account with the price of gold.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            price_account: string;
            /**
             * @description Program of the oracle, which owns both price accounts.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            price_owner: string;
            /**
             * @description The oracle's id of the price of gold, hexadecimal.
             * @example 7676767676767676767676767676767676767676767676767676767676767676
             */
            feed_id: string;
            /**
             * @description Account with the price of USDC.
             * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
             */
            usdc_price_account: string;
            /**
             * @description The oracle's id of the price of USDC, hexadecimal.
             * @example eaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaea
             */
            usdc_feed_id: string;
            /**
             * Format: double
             * @description Lowest price of an ounce that is accepted, US dollars.
             * @example 500
             */
            min_price: number;
            /**
             * Format: double
             * @description Highest price of an ounce that is accepted, US dollars.
             * @example 50000
             */
            max_price: number;
            /**
             * Format: double
             * @description Lowest price of USDC at which gold is sold for it, US dollars.
             * @example 0.98
             */
            min_usdc_price: number;
            /**
             * @description Largest trade, USDC; `none` for no limit.
             * @example 1000000
             */
            max_trade_usdc: number | "none";
            /**
             * @description Most USDC that may leave the treasury in 24 hours, less what comes in; `none` for no limit.
             * @example 2000000
             */
            daily_outflow_usdc: number | "none";
            /**
             * @description Most GOLD that may leave the treasury in 24 hours, less what comes in; `none` for no limit.
             * @example 500
             */
            daily_outflow_gold: number | "none";
            /**
             * @description Most GOLD that may be minted in 24 hours; `none` for no limit.
             * @example 1000
             */
            daily_mint: number | "none";
            /**
             * @description Owners of the accounts that may receive inventory of the treasury.
             * @example [
             *       "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD"
             *     ]
             */
            withdraw_owners: string[];
            /**
             * Format: int64
             * @description Seconds that a price is good for while the market is open; that of USDC at any time.
             * @example 60
             */
            max_age_open: number;
            /**
             * Format: int64
             * @description The same while the market is closed; 0: no trades then.
             * @example 0
             */
            max_age_closed: number;
            /**
             * Format: int64
             * @description Seconds until a key that the admin proposes for a partner can be applied.
             * @example 172800
             */
            recovery_delay: number;
            /**
             * Format: int64
             * @description Seconds until proposed settings, or another admin, can be applied.
             * @example 172800
             */
            change_delay: number;
            /**
             * Format: int64
             * @description Seconds until an announced burn can be done.
             * @example 86400
             */
            burn_delay: number;
            /**
             * Format: int64
             * @description Seconds until a user may reclaim the tokens of an open redemption on chain.
             * @example 7776000
             */
            redemption_timeout: number;
            /**
             * Format: int64
             * @description Seconds until a partner's vault may trade in the other direction.
             * @example 300
             */
            opposite_side_seconds: number;
            /**
             * Format: int64
             * @description Seconds that an attestation of the gold is good for.
             * @example 2678400
             */
            max_attestation_age: number;
            /**
             * Format: int64
             * @description Widest confidence interval of a price, in basis points of it.
             * @example 100
             */
            max_confidence_bps: number;
            /**
             * Format: int64
             * @description Lowest fee of any partner, in basis points.
             * @example 10
             */
            min_fee_bps: number;
            /**
             * Format: int64
             * @description Highest fee of any partner, in basis points.
             * @example 1000
             */
            max_fee_bps: number;
            /**
             * @description Whether GOLD leaves the treasury only while the whole supply is attested.
             * @example true
             */
            require_backing: boolean;
            /**
             * @description Whether the compliance key may freeze accounts of holders.
             * @example false
             */
            freeze_enabled: boolean;
        };
        PendingSettings: {
            settings: components["schemas"]["ProgramSettings"];
            /**
             * @description When they were proposed.
             * @example 2026-03-01T12:00:00.000Z
             */
            proposed_at: string;
            /**
             * @description When they can be applied, by anyone.
             * @example 2026-03-03T12:00:00.000Z
             */
            ready_at: string;
            /**
             * @description When they can no longer be applied: 14 days after that.
             * @example 2026-03-17T12:00:00.000Z
             */
            expires_at: string;
            /**
             * @description Whose keys can cancel them: a guardian cannot keep its own replacement away.
             * @example [
             *       "guardian",
             *       "admin"
             *     ]
             */
            cancellable_by: ("guardian" | "admin")[];
        };
        ChainSettings: {
            settings: components["schemas"]["ProgramSettings"];
            /** @description Settings that are proposed, complete; null while none are. */
            pending: components["schemas"]["PendingSettings"] | null;
        };
        ProposeChainSettingsRequest: {
            /** @description The settings to change. What is left out stays as it is. */
            settings: {
                /**
                 * @description Key that pauses, and cancels what is proposed or announced. A proposal of another one changes nothing else.
                 * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
                 */
                guardian?: string;
                /**
                 * @description Key that attests how much gold there is; null: there is none.
                 * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
                 */
                attestor?: string | null;
                /**
                 * @description Account with the price of gold.
                 * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
                 */
                price_account?: string;
                /**
                 * @description Program of the oracle, which owns both price accounts.
                 * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
                 */
                price_owner?: string;
                /**
                 * @description The oracle's id of the price of gold, hexadecimal.
                 * @example 7676767676767676767676767676767676767676767676767676767676767676
                 */
                feed_id?: string;
                /**
                 * @description Account with the price of USDC.
                 * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
                 */
                usdc_price_account?: string;
                /**
                 * @description The oracle's id of the price of USDC, hexadecimal.
                 * @example eaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaeaea
                 */
                usdc_feed_id?: string;
                /**
                 * Format: double
                 * @description Lowest price of an ounce that is accepted, US dollars.
                 * @example 500
                 */
                min_price?: number;
                /**
                 * Format: double
                 * @description Highest price of an ounce that is accepted, US dollars.
                 * @example 50000
                 */
                max_price?: number;
                /**
                 * Format: double
                 * @description Lowest price of USDC at which gold is sold for it, US dollars.
                 * @example 0.98
                 */
                min_usdc_price?: number;
                /**
                 * @description Largest trade, USDC; `none` for no limit.
                 * @example 1000000
                 */
                max_trade_usdc?: number | "none";
                /**
                 * @description Most USDC that may leave the treasury in 24 hours, less what comes in; `none` for no limit.
                 * @example 2000000
                 */
                daily_outflow_usdc?: number | "none";
                /**
                 * @description Most GOLD that may leave the treasury in 24 hours, less what comes in; `none` for no limit.
                 * @example 500
                 */
                daily_outflow_gold?: number | "none";
                /**
                 * @description Most GOLD that may be minted in 24 hours; `none` for no limit.
                 * @example 1000
                 */
                daily_mint?: number | "none";
                /**
                 * @description Owners of the accounts that may receive inventory of the treasury.
                 * @example [
                 *       "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD"
                 *     ]
                 */
                withdraw_owners?: string[];
                /**
                 * Format: int64
                 * @description Seconds that a price is good for while the market is open; that of USDC at any time.
                 * @example 60
                 */
                max_age_open?: number;
                /**
                 * Format: int64
                 * @description The same while the market is closed; 0: no trades then.
                 * @example 0
                 */
                max_age_closed?: number;
                /**
                 * Format: int64
                 * @description Seconds until a key that the admin proposes for a partner can be applied.
                 * @example 172800
                 */
                recovery_delay?: number;
                /**
                 * Format: int64
                 * @description Seconds until proposed settings, or another admin, can be applied.
                 * @example 172800
                 */
                change_delay?: number;
                /**
                 * Format: int64
                 * @description Seconds until an announced burn can be done.
                 * @example 86400
                 */
                burn_delay?: number;
                /**
                 * Format: int64
                 * @description Seconds until a user may reclaim the tokens of an open redemption on chain.
                 * @example 7776000
                 */
                redemption_timeout?: number;
                /**
                 * Format: int64
                 * @description Seconds until a partner's vault may trade in the other direction.
                 * @example 300
                 */
                opposite_side_seconds?: number;
                /**
                 * Format: int64
                 * @description Seconds that an attestation of the gold is good for.
                 * @example 2678400
                 */
                max_attestation_age?: number;
                /**
                 * Format: int64
                 * @description Widest confidence interval of a price, in basis points of it.
                 * @example 100
                 */
                max_confidence_bps?: number;
                /**
                 * Format: int64
                 * @description Lowest fee of any partner, in basis points.
                 * @example 10
                 */
                min_fee_bps?: number;
                /**
                 * Format: int64
                 * @description Highest fee of any partner, in basis points.
                 * @example 1000
                 */
                max_fee_bps?: number;
                /**
                 * @description Whether GOLD leaves the treasury only while the whole supply is attested.
                 * @example true
                 */
                require_backing?: boolean;
                /**
                 * @description Whether the compliance key may freeze accounts of holders.
                 * @example false
                 */
                freeze_enabled?: boolean;
            };
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        };
        ChangedChainSettings: {
            settings: components["schemas"]["ProgramSettings"];
            /** @description Settings that are proposed, complete; null while none are. */
            pending: components["schemas"]["PendingSettings"] | null;
            /**
             * @description Transaction of the change; null if nothing had to change.
             * @example 4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8
             */
            tx_hash: string | null;
        };
        ApplyChainSettingsRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        CancelChainSettingsRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason?: string;
        } | null;
        OraclePrice: {
            /**
             * Format: double
             * @description US dollars per troy ounce; null if no price is published.
             * @example 4100.12
             */
            price: number | null;
            /**
             * Format: double
             * @description Half the width of the oracle's confidence interval, in US dollars.
             * @example 0.8
             */
            confidence: number | null;
            /**
             * @description When the oracle published it.
             * @example 2026-03-01T12:00:00.000Z
             */
            publish_time: string | null;
            /**
             * Format: int64
             * @description Since then.
             * @example 3
             */
            age_seconds: number | null;
            /**
             * @description `fresh`: trades execute at this price. `stale`: the price is published, but not accepted now. `unavailable`: no price is known.
             * @example fresh
             * @enum {string}
             */
            status: "fresh" | "stale" | "unavailable";
            /**
             * @description Reason why the price is not fresh; null if it is fresh.
             * @example null
             */
            fault: string | null;
            /**
             * @description State of the market on chain; null while it is unknown.
             * @example open
             */
            market: ("open" | "closed") | null;
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
        GetIndexerResult: {
            /**
             * Format: int64
             * @description Slot up to which everything that the nodes list is recorded; null before the first.
             * @example 371204731
             */
            slot: number | null;
            /**
             * Format: int64
             * @description Slot of the finalized chain up to which every event is recorded, by the numbers of the program; null until that is known.
             * @example 371204700
             */
            complete_slot: number | null;
            /**
             * @description Which event of the program is missing, in a sentence; null while none is.
             * @example Event 12 of the program's configuration is not recorded; the program has counted 14.
             */
            missing: string | null;
            /**
             * Format: double
             * @description For how long; null while none is.
             * @example 41.2
             */
            missing_seconds: number | null;
            /**
             * Format: double
             * @description Time since everything that the node lists was last recorded; null before the first time.
             * @example 0.4
             */
            lag_seconds: number | null;
            /**
             * @description When that was.
             * @example 2026-03-01T12:00:00.000Z
             */
            last_seen_at: string | null;
            /**
             * @description Whether a process is indexing.
             * @example true
             */
            led: boolean;
            /**
             * Format: int64
             * @description Number of open dead letters.
             * @example 0
             */
            dead_letters: number;
        };
        DeadLetter: {
            /**
             * @description Id of the dead letter.
             * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
             */
            dead_letter_id: string;
            /**
             * @description The transaction that the dead letter is about; for a `reconciliation_difference` this may be the address of an account.
             * @example 5hKzYw3mJzG3X1dWm8dQvZx3yq6cJm7Yb2o1n4Vt9sRkPfLxUeHaBcDgEwFiGjHkLmNpQrStUvWxYz1234567891
             */
            signature: string;
            /**
             * Format: int64
             * @description Slot of the chain.
             * @example 371204731
             */
            slot: number;
            /**
             * @description Description of the problem.
             * @example unknown_user
             */
            reason: string;
            /**
             * @description Details for the person who handles it.
             * @example {
             *       "wallet": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10"
             *     }
             */
            detail: {
                [key: string]: unknown;
            };
            /**
             * @description When it was written.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it was resolved; null while it is open.
             * @example null
             */
            resolved_at: string | null;
            /**
             * @description The reason given by the operator who resolved it; null if it resolved itself.
             * @example null
             */
            resolution: string | null;
            /**
             * @description When a retry was requested; null once the retry is done.
             * @example null
             */
            retry_requested_at: string | null;
            /**
             * @description When it was last retried.
             * @example null
             */
            retried_at: string | null;
        };
        ListDeadLettersResult: {
            dead_letters: components["schemas"]["DeadLetter"][];
            /**
             * @description `cursor` of the next page; null on the last page.
             * @example null
             */
            next_cursor: string | null;
            total?: components["schemas"]["Total"];
        };
        /**
         * @description A header, and a line for each row.
         * @example dead_letter_id,signature,slot,reason,detail,created_at,resolved_at,resolution,retry_requested_at,retried_at
         */
        DeadLettersTable: string;
        RetryDeadLetterRequest: Record<string, never> | null;
        ResolveDeadLettersRequest: {
            /** @description Ids of the dead letters to resolve, without duplicates. */
            dead_letter_ids: string[];
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
        };
        ResolveDeadLettersResult: {
            dead_letters: components["schemas"]["DeadLetter"][];
        };
        ResolveDeadLetterRequest: {
            /**
             * @description The reason; kept in the audit log.
             * @example Requested by the partner, ticket 4711
             */
            reason: string;
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
        GetTreasuryResult: {
            treasury: {
                /**
                 * Format: double
                 * @description Amount that the treasury can pay out. GOLD.
                 * @example 100000
                 */
                gold: number;
                /**
                 * Format: double
                 * @description Amount that the treasury can pay out. USDC.
                 * @example 100000000
                 */
                usdc: number;
            };
            fee: {
                /**
                 * Format: double
                 * @description Collected fees that `karat treasury withdraw` has not withdrawn yet. USDC.
                 * @example 1250.5
                 */
                usdc: number;
            };
            escrow: {
                /**
                 * Format: double
                 * @description Balance of escrow. GOLD.
                 * @example 12.380625
                 */
                gold: number;
                /**
                 * Format: double
                 * @description The part of escrow that belongs to open redemptions, as the program counts it: those that were paid, and neither burned nor refunded. GOLD.
                 * @example 12.380625
                 */
                needed: number;
                /**
                 * Format: double
                 * @description The surplus of escrow beyond that: deposits without a redemption, which `karat treasury sweep-escrow` takes out. GOLD.
                 * @example 0
                 */
                surplus: number;
            };
            backing: components["schemas"]["Backing"];
            limits: {
                daily_outflow_usdc: {
                    /**
                     * @description Most that may leave the treasury and the fee account in 24 hours, by trades and withdrawals, less what comes in; `none` for no limit. USDC.
                     * @example 10000000
                     */
                    limit: number | "none";
                    /**
                     * Format: double
                     * @description Amount that left them in the last 24 hours, less what came in, as the program counts it, hour by hour. USDC.
                     * @example 125000
                     */
                    used: number;
                };
                daily_outflow_gold: {
                    /**
                     * @description Most that may leave the treasury in 24 hours, by trades and withdrawals, less what comes in; `none` for no limit. GOLD.
                     * @example 2500
                     */
                    limit: number | "none";
                    /**
                     * Format: double
                     * @description Amount that left it in the last 24 hours, less what came in, as the program counts it, hour by hour. GOLD.
                     * @example 31.5
                     */
                    used: number;
                };
                daily_mint: {
                    /**
                     * @description Most that may be minted in 24 hours; `none` for no limit. GOLD.
                     * @example 1000
                     */
                    limit: number | "none";
                    /**
                     * Format: double
                     * @description Amount that was minted in the last 24 hours, as the program counts it, hour by hour. GOLD.
                     * @example 0
                     */
                    used: number;
                };
            };
            /** @description Result of the last comparison of the chain with the records, which must be 0; null before the first comparison. */
            difference: {
                /**
                 * Format: double
                 * @description Amount on chain minus the recorded amount; negative if the chain holds less. GOLD.
                 * @example 0
                 */
                gold: number;
                /**
                 * Format: double
                 * @description Amount on chain minus the recorded amount; negative if the chain holds less. USDC.
                 * @example 0
                 */
                usdc: number;
            } | null;
            /**
             * Format: int64
             * @description Number of open `reconciliation_difference` dead letters.
             * @example 0
             */
            differences: number | null;
            /**
             * @description When the chain and the records were last compared.
             * @example 2026-03-01T12:00:00.000Z
             */
            compared_at: string | null;
            /**
             * Format: int64
             * @description Slot of that comparison.
             * @example 371204650
             */
            compared_slot: number | null;
        };
        PrepareAttestationRequest: {
            /**
             * Format: double
             * @description Gold in the report, troy ounces: so much GOLD may exist, less what is burned later.
             * @example 1000
             */
            amount: number;
            /**
             * Format: double
             * @description GOLD that the program had burned in all when the metal was counted: `backing.burned` of `GET /treasury` at that time.
             * @example 12.5
             */
            burned_at: number;
            /**
             * @description When the metal was counted; default: now.
             * @example 2026-03-01T12:00:00.000Z
             */
            as_of?: string;
            /**
             * @description SHA-256 of the report, hexadecimal.
             * @example c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7
             */
            report_hash: string;
            /**
             * Format: double
             * @description The amount once more. Required if it differs by more than 10 % from what the last attestation leaves, or from the bars in the vaults.
             * @example 1000
             */
            confirm?: number;
        };
        PreparedAttestation: {
            /**
             * @description Unsigned legacy transaction, base64: its signers must sign it unchanged and send it. Wrapped in another transaction, it could land too late, next to a second one.
             * @example AQAAAAAAAAAA
             */
            transaction: string;
            /**
             * @description Keys that must still sign.
             * @example [
             *       "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD"
             *     ]
             */
            signers: string[];
            /**
             * @description When the transaction can no longer land, after about a minute.
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string;
            /**
             * @description When the metal was counted; default: now.
             * @example 2026-03-01T12:00:00.000Z
             */
            as_of: string;
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
        /** @description - `unauthorized`: The token is not valid, or the session has ended. */
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
        /** @description - `not_found`: The object or the path does not exist. */
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
        /** @description - `partner_not_found`: There is no such partner. */
        partner_not_found: {
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
        /** @description - `payload_too_large`: The body is larger than 64 KiB, or than 256 KiB where bars are taken into stock. */
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
        /** @description - `unauthorized`: The token is not valid, or the session has ended. */
        unauthorized_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `forbidden`: The cookie was sent without `x-karat-console: 1`, or from a page on another host. */
        forbidden_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `payload_too_large`: The body is larger than 64 KiB, or than 256 KiB where bars are taken into stock. */
        payload_too_large_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `unsupported_media_type`: The body is not `application/json`. */
        unsupported_media_type_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description - `rate_limited`: Too many requests; wait for the seconds in `retry-after`. */
        rate_limited_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "retry-after": components["headers"]["retry-after"];
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
         * @description - `insufficient_scope`: Your role does not allow this.
         *     - `forbidden`: The cookie was sent without `x-karat-console: 1`, or from a page on another host.
         *     - `second_factor_required`: The account must have a second factor first, or the request must include a fresh one or a confirmation; `field` says which.
         */
        insufficient_scope_or_forbidden_or_second_factor_required: {
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
         * @description - `insufficient_scope`: Your role does not allow this.
         *     - `second_factor_required`: The account must have a second factor first, or the request must include a fresh one or a confirmation; `field` says which.
         */
        insufficient_scope_or_second_factor_required: {
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
        invalid_request_or_second_factor_wrong_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `invalid_challenge`: The challenge was already used, has expired, or was issued for something else.
         */
        invalid_request_or_invalid_challenge_unlimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `invalid_challenge`: The challenge was already used, has expired, or was issued for something else.
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
         *     - `invalid_challenge`: The challenge was already used, has expired, or was issued for something else.
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
        /**
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `already_revoked`: The key, wallet or token is already revoked.
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
         * @description - `invalid_request`: A field is missing or malformed; `field` names it.
         *     - `invalid_wallet`: The address is not a valid public key.
         */
        invalid_request_or_invalid_wallet: {
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
         * @description - `insufficient_scope`: Your role does not allow this.
         *     - `forbidden`: The cookie was sent without `x-karat-console: 1`, or from a page on another host.
         *     - `second_factor_required`: The account must have a second factor first, or the request must include a fresh one or a confirmation; `field` says which.
         *     - `wallet_not_allowed`: The wallet cannot be used with the service.
         */
        insufficient_scope_or_forbidden_or_second_factor_required_or_wallet_not_allowed: {
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
         *     - `wallet_already_registered`: The wallet already belongs to a partner.
         */
        idempotency_conflict_or_transition_not_allowed_or_wallet_already_registered: {
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
         * @description - `wallet_not_found`: The partner has no such wallet.
         *     - `partner_not_found`: There is no such partner.
         */
        wallet_not_found_or_partner_not_found: {
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
         *     - `broadcast_failed`: The network rejected the transaction; `message` gives the reason.
         */
        invalid_request_or_invalid_wallet_or_broadcast_failed: {
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
         * @description - `not_found`: The object or the path does not exist.
         *     - `partner_not_found`: There is no such partner.
         */
        not_found_or_partner_not_found: {
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
         *     - `already_exists`: An object of this name already exists.
         */
        idempotency_conflict_or_transition_not_allowed_or_already_exists: {
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
         *     - `bar_not_available`: The bar is not in stock, or is of another denomination or city.
         */
        idempotency_conflict_or_transition_not_allowed_or_bar_not_available: {
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
         *     - `bar_required`: No bar is reserved for the redemption: name one as `bar_serial`.
         */
        invalid_request_or_bar_required: {
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
         *     - `bar_required`: No bar is reserved for the redemption: name one as `bar_serial`.
         *     - `pickup_code_wrong`: This is not the code that the customer was given; `attempts_left` says how often another may be tried.
         */
        invalid_request_or_bar_required_or_pickup_code_wrong: {
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
         *     - `bar_not_available`: The bar is not in stock, or is of another denomination or city.
         *     - `pickup_code_locked`: Too many wrong codes were tried: issue another one.
         */
        idempotency_conflict_or_transition_not_allowed_or_bar_not_available_or_pickup_code_locked: {
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
         *     - `broadcast_failed`: The network rejected the transaction; `message` gives the reason.
         */
        invalid_request_or_broadcast_failed: {
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
         *     - `invalid_city`: No denomination is handed over in this city.
         */
        invalid_request_or_invalid_denomination_or_invalid_city: {
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
         *     - `invalid_challenge`: The challenge was already used, has expired, or was issued for something else.
         *     - `broadcast_failed`: The network rejected the transaction; `message` gives the reason.
         *     - `second_factor_wrong`: The passkey or the code is wrong, or the code was already used.
         */
        invalid_request_or_invalid_challenge_or_broadcast_failed_or_second_factor_wrong: {
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
    };
    parameters: {
        /** @description Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route. */
        "idempotency-key": string;
        /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
        "x-request-id": string;
        /**
         * @description Id of the passkey, a UUID.
         * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        passkey_id: string;
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
         * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
         * @example json
         */
        format: "json" | "csv";
        /**
         * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
         * @example true
         */
        total: "true" | "false";
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
         * @description Id of the session, a UUID; it does not open the session.
         * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        session_id: string;
        /**
         * @description Id of the operator, a UUID.
         * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        operator_id: string;
        /**
         * @description Id of the partner, a UUID.
         * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        partner_id: string;
        /**
         * @description Which key of the partner: `wallet`, `update` or `withdrawal`.
         * @example update
         */
        role: string;
        /**
         * @description Only rows with this beginning of an id, wallet, or part of a name. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
         * @example production
         */
        q: string;
        /**
         * @description Only those for this API.
         * @example partner
         */
        surface: "partner" | "tradebook";
        /**
         * @description Id of the endpoint, prefixed `we_`.
         * @example we_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        endpoint_id: string;
        /**
         * @description ISO 3166-1 alpha-2 code in upper or lower case; responses have capitals.
         * @example PK
         */
        code: string;
        /**
         * @description Only this city; upper and lower case are equal.
         * @example Karachi
         */
        city: string;
        /**
         * @description Id of the user, prefixed `gu_`.
         * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        service_user_id: string;
        /**
         * @description Id of the redemption, prefixed `red_`.
         * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        redemption_id: string;
        /**
         * @description Id of the bar, a UUID.
         * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        bar_id: string;
        /**
         * @description Id of the pending approval.
         * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        approval_id: string;
        /**
         * @description Id of the dead letter.
         * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
         */
        id: string;
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
                 *       "email": "ops@example.com",
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
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInOperator"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactorChallenge"];
                };
            };
            400: components["responses"]["invalid_request_unlimited"];
            401: components["responses"]["unauthorized_unlimited"];
            403: components["responses"]["forbidden_unlimited"];
            413: components["responses"]["payload_too_large_unlimited"];
            415: components["responses"]["unsupported_media_type_unlimited"];
            429: components["responses"]["rate_limited_unlimited"];
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignOutResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInOperator"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
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
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInOperator"];
                };
            };
            400: components["responses"]["invalid_request_or_second_factor_wrong_unlimited"];
            401: components["responses"]["unauthorized_unlimited"];
            403: components["responses"]["forbidden_unlimited"];
            413: components["responses"]["payload_too_large_unlimited"];
            415: components["responses"]["unsupported_media_type_unlimited"];
            429: components["responses"]["rate_limited_unlimited"];
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangePasswordResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getSignInMethods: {
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
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
            400: components["responses"]["invalid_request_unlimited"];
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    startSingleSignOn: {
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
                 *       "fresh": true
                 *     }
                 */
                "application/json": components["schemas"]["StartSingleSignOnRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartSingleSignOnResult"];
                };
            };
            400: components["responses"]["invalid_request_unlimited"];
            403: components["responses"]["forbidden_unlimited"];
            413: components["responses"]["payload_too_large_unlimited"];
            415: components["responses"]["unsupported_media_type_unlimited"];
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
        };
    };
    finishSingleSignOn: {
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
                 *       "state": "ehzBEGmqyj6OBEWYgB5mZuTLwD6dBcZ8OdQsTL4cw4M",
                 *       "code": "xsb51E_K4kXlFzi3wYVqWw",
                 *       "iss": "https://login.example.com",
                 *       "error": "access_denied"
                 *     }
                 */
                "application/json": components["schemas"]["FinishSingleSignOnRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInBySingleSignOn"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "karat-ignored": components["headers"]["karat-ignored"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactorChallenge"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_unlimited"];
            401: components["responses"]["unauthorized_unlimited"];
            403: components["responses"]["forbidden_unlimited"];
            413: components["responses"]["payload_too_large_unlimited"];
            415: components["responses"]["unsupported_media_type_unlimited"];
            429: components["responses"]["rate_limited_unlimited"];
            500: components["responses"]["internal_error_unlimited"];
            503: components["responses"]["service_unavailable_unlimited"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactor"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
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
                 *       "purpose": "account",
                 *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10"
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactorChallenge"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmation"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartPasskeyResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddPasskeyResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovePasskeyResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartTotpResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmTotpResult"];
                };
            };
            400: components["responses"]["invalid_request_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoveTotpResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenewRecoveryCodesResult"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listOwnSessions: {
        parameters: {
            query?: {
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOwnSessionsResult"];
                    "text/csv": components["schemas"]["SessionsTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    endOwnSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the session, a UUID; it does not open the session.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                session_id: components["parameters"]["session_id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["EndOwnSessionRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndOwnSessionResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    endOtherSessions: {
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
                /** @example {} */
                "application/json": components["schemas"]["EndOtherSessionsRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndOtherSessionsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listOperatorSessions: {
        parameters: {
            query?: {
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
            path: {
                /**
                 * @description Id of the operator, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                operator_id: components["parameters"]["operator_id"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOperatorSessionsResult"];
                    "text/csv": components["schemas"]["SessionsTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    endOperatorSession: {
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
                 * @description Id of the session, a UUID; it does not open the session.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                session_id: components["parameters"]["session_id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["EndOperatorSessionRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndOperatorSessionResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    endOperatorSessions: {
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
                 * @description Id of the operator, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                operator_id: components["parameters"]["operator_id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["EndOperatorSessionsRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndOperatorSessionsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getSummary: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetSummaryResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    streamChanges: {
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
            /** @description The stream */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamChangesResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listViews: {
        parameters: {
            query?: {
                /**
                 * @description Only those of this list.
                 * @example redemptions
                 */
                list?: "audit" | "bars" | "dead-letters" | "denominations" | "operators" | "orders" | "partners" | "redemptions" | "trades" | "users" | "webhook-endpoints";
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListViewsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    saveView: {
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
                 *       "list": "redemptions",
                 *       "name": "Mine in Karachi",
                 *       "filter": {
                 *         "assigned_to": "me",
                 *         "city": "Karachi"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SaveViewRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    deleteView: {
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
                 * @description Id of the view.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                view_id: string;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listOperators: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this beginning of an id, or part of a name or an email. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example sana
                 */
                q?: string;
                /**
                 * @description Only accounts with this status.
                 * @example active
                 */
                status?: "active" | "disabled";
                /**
                 * @description Only those with this role.
                 * @example fulfilment
                 */
                role?: "viewer" | "fulfilment" | "compliance" | "admin";
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOperatorsResult"];
                    "text/csv": components["schemas"]["OperatorsTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    createOperator: {
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
                 *       "email": "ops@example.com",
                 *       "name": "Sana Malik",
                 *       "role": "fulfilment",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["CreateOperatorRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["already_exists"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    changeOperator: {
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
                 * @description Id of the operator, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                operator_id: components["parameters"]["operator_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Sana Malik",
                 *       "role": "fulfilment"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeOperatorRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    disableOperator: {
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
                 * @description Id of the operator, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                operator_id: components["parameters"]["operator_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["DisableOperatorRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    enableOperator: {
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
                 * @description Id of the operator, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                operator_id: components["parameters"]["operator_id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["EnableOperatorRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    resetSecondFactor: {
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
                 * @description Id of the operator, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                operator_id: components["parameters"]["operator_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["ResetSecondFactorRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listOperatorTokens: {
        parameters: {
            query?: {
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
            path: {
                /**
                 * @description Id of the operator, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                operator_id: components["parameters"]["operator_id"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOperatorTokensResult"];
                    "text/csv": components["schemas"]["TokensTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    revokeOperatorToken: {
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
                 * @description Id of the token, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["RevokeOperatorTokenRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["invalid_request_or_already_revoked"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listPartners: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this beginning of an id, or part of a name. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example acme
                 */
                q?: string;
                /**
                 * @description Only partners in this status.
                 * @example active
                 */
                status?: "active" | "suspended";
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPartnersResult"];
                    "text/csv": components["schemas"]["PartnersTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    createPartner: {
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
                 *       "name": "Initech Bullion",
                 *       "fee_percentage": 0.015
                 *     }
                 */
                "application/json": components["schemas"]["CreatePartnerRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_wallet"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required_or_wallet_not_allowed"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed_or_wallet_already_registered"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getPartner: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["partner_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    changePartner: {
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
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme Gold",
                 *       "fee_percentage": 0.015,
                 *       "fee_budget_lamports_per_hour": 500000000,
                 *       "min_trade_usdc": 0
                 *     }
                 */
                "application/json": components["schemas"]["ChangePartnerRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["partner_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    inviteOwner: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "sana@acme.example"
                 *     }
                 */
                "application/json": components["schemas"]["InviteOwnerRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedInvitation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["partner_not_found"];
            409: components["responses"]["already_exists"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    suspendPartner: {
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
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["SuspendPartnerRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["partner_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    resumePartner: {
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
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["ResumePartnerRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["partner_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    addPartnerWallet: {
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
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "wallet_address": "F8ygFE7UDSmJQxdJ9zCgQqPwWZRLwzGucYqG1fhuPC1e"
                 *     }
                 */
                "application/json": components["schemas"]["AddPartnerWalletRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_wallet"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required_or_wallet_not_allowed"];
            404: components["responses"]["partner_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed_or_wallet_already_registered"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    revokePartnerWallet: {
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
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
                /**
                 * @description Address of one of the partner's registered wallets.
                 * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
                 */
                wallet_address: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["RevokePartnerWalletRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedWallet"];
                };
            };
            400: components["responses"]["invalid_request_or_already_revoked"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["wallet_not_found_or_partner_not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    putPartnerOnchain: {
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
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "wallet_address": "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD",
                 *       "open_fee_bps": 50,
                 *       "closed_fee_bps": 100,
                 *       "daily_limit_usdc": 5000000,
                 *       "update_authority": "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD",
                 *       "withdrawal_authority": "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD",
                 *       "executive_authorities": [
                 *         "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD"
                 *       ],
                 *       "status": "active",
                 *       "expected_terms_seq": 3
                 *     }
                 */
                "application/json": components["schemas"]["PutPartnerOnchainRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedPartnerOnChain"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_wallet_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required_or_wallet_not_allowed"];
            404: components["responses"]["partner_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    proposeAuthority: {
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
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
                /**
                 * @description Which key of the partner: `wallet`, `update` or `withdrawal`.
                 * @example update
                 */
                role: components["parameters"]["role"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD"
                 *     }
                 */
                "application/json": components["schemas"]["ProposeAuthorityRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedPartnerOnChain"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_wallet_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required_or_wallet_not_allowed"];
            404: components["responses"]["not_found_or_partner_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed_or_wallet_already_registered"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    cancelAuthority: {
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
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
                /**
                 * @description Which key of the partner: `wallet`, `update` or `withdrawal`.
                 * @example update
                 */
                role: components["parameters"]["role"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD"
                 *     }
                 */
                "application/json": components["schemas"]["CancelAuthorityRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedPartnerOnChain"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_wallet_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required_or_wallet_not_allowed"];
            404: components["responses"]["not_found_or_partner_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed_or_wallet_already_registered"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    applyAuthority: {
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
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
                /**
                 * @description Which key of the partner: `wallet`, `update` or `withdrawal`.
                 * @example update
                 */
                role: components["parameters"]["role"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD"
                 *     }
                 */
                "application/json": components["schemas"]["ApplyAuthorityRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedPartnerOnChain"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_wallet_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required_or_wallet_not_allowed"];
            404: components["responses"]["not_found_or_partner_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed_or_wallet_already_registered"];
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
                 * @description Only rows with this beginning of an id, wallet, or part of a name. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example production
                 */
                q?: components["parameters"]["q"];
                /**
                 * @description Only those for this API.
                 * @example partner
                 */
                surface?: components["parameters"]["surface"];
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                    "text/csv": components["schemas"]["ApiKeysTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listPartnerApiKeys: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this beginning of an id, wallet, or part of a name. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example production
                 */
                q?: components["parameters"]["q"];
                /**
                 * @description Only those for this API.
                 * @example partner
                 */
                surface?: components["parameters"]["surface"];
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
            path: {
                /**
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                    "text/csv": components["schemas"]["ApiKeysTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["partner_not_found"];
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
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["RevokeApiKeyRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["invalid_request_or_already_revoked"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["key_not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listPartnerWebhookEndpoints: {
        parameters: {
            query?: {
                /**
                 * @description Only endpoints of this partner.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id?: string;
                /**
                 * @description Only endpoints with this status.
                 * @example active
                 */
                status?: "active" | "disabled";
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPartnerWebhookEndpointsResult"];
                    "text/csv": components["schemas"]["WebhookEndpointsTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getPartnerWebhookEndpoint: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerWebhookEndpoint"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["endpoint_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listPartnerWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only deliveries with this status.
                 * @example failed
                 */
                status?: "pending" | "delivered" | "failed";
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPartnerWebhookDeliveriesResult"];
                    "text/csv": components["schemas"]["DeliveriesTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["endpoint_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    disablePartnerWebhookEndpoint: {
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
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["DisablePartnerWebhookEndpointRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerWebhookEndpoint"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["endpoint_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listCountries: {
        parameters: {
            query?: {
                /**
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
                /**
                 * @description `next_cursor` of the previous page.
                 * @example UEs
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListCountriesResult"];
                    "text/csv": components["schemas"]["CountriesTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    putCountry: {
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
                 * @description ISO 3166-1 alpha-2 code in upper or lower case; responses have capitals.
                 * @example PK
                 */
                code: components["parameters"]["code"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Pakistan",
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["PutCountryRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Country"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listIdTypes: {
        parameters: {
            query?: {
                /**
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
                /**
                 * @description `next_cursor` of the previous page.
                 * @example Y25pYw
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
                 * @description ISO 3166-1 alpha-2 code in upper or lower case; responses have capitals.
                 * @example PK
                 */
                code: components["parameters"]["code"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListIdTypesResult"];
                    "text/csv": components["schemas"]["IdTypesTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    putIdType: {
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
                 * @description ISO 3166-1 alpha-2 code in upper or lower case; responses have capitals.
                 * @example PK
                 */
                code: components["parameters"]["code"];
                /**
                 * @description Kind of identity document: the `id_type` of the KYC data.
                 * @example cnic
                 */
                id_type: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "pattern": "[0-9]{5}-[0-9]{7}-[0-9]",
                 *       "example": "42101-1234567-1",
                 *       "expected": {
                 *         "pattern": "[0-9]{5}-[0-9]{7}-[0-9]",
                 *         "example": "42101-1234567-1"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PutIdTypeRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdType"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    deleteIdType: {
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
                 * @description ISO 3166-1 alpha-2 code in upper or lower case; responses have capitals.
                 * @example PK
                 */
                code: components["parameters"]["code"];
                /**
                 * @description Kind of identity document: the `id_type` of the KYC data.
                 * @example cnic
                 */
                id_type: string;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdType"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listDenominations: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this part of an id, label or city. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example tola
                 */
                q?: string;
                /**
                 * @description Only this country; upper and lower case are equal.
                 * @example PK
                 */
                country?: string;
                /**
                 * @description Only this city; upper and lower case are equal.
                 * @example Karachi
                 */
                city?: components["parameters"]["city"];
                /**
                 * @description Only those that are offered, or only those that are not.
                 * @example true
                 */
                active?: "true" | "false";
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
                /**
                 * @description `next_cursor` of the previous page.
                 * @example MTc3MjM2NjQwMDAwMC5wa190b2xhXzE
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDenominationsResult"];
                    "text/csv": components["schemas"]["DenominationsTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    createDenomination: {
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
                 *       "id": "pk_g_20",
                 *       "weight_g": 20,
                 *       "label": "20 g bar",
                 *       "country": "PK",
                 *       "city": "Lahore",
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["CreateDenominationRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Denomination"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed_or_already_exists"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    changeDenomination: {
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
                 * @description Id of the denomination, from the list of denominations.
                 * @example pk_tola_1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "1 tola bar",
                 *       "country": "PK",
                 *       "city": "Karachi",
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["ChangeDenominationRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Denomination"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this beginning of an id, wallet, or beginning of the partner's own id. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example customer-10
                 */
                q?: string;
                /**
                 * @description Only those of this partner.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id?: string;
                /**
                 * @description Only users with this status.
                 * @example active
                 */
                status?: "active" | "suspended";
                /**
                 * @description Only the user who has this wallet.
                 * @example 8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD
                 */
                wallet_address?: string;
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListUsersResult"];
                    "text/csv": components["schemas"]["UsersTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithKyc"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["user_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    searchCustomers: {
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
                 *       "full_name": "Khan",
                 *       "id_number": "42101-1234567-1",
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["SearchCustomersRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchCustomersResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    suspendUser: {
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
                 * @description Id of the user, prefixed `gu_`.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id: components["parameters"]["service_user_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["SuspendUserRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["user_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    resumeUser: {
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
                 * @description Id of the user, prefixed `gu_`.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id: components["parameters"]["service_user_id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["ResumeUserRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["user_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    setKycLevel: {
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
                 * @description Id of the user, prefixed `gu_`.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id: components["parameters"]["service_user_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kyc_level": "lapsed",
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["SetKycLevelRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithLevel"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["user_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getLimits: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VelocityLimits"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    putLimits: {
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
                 *       "user_daily_usdc": 10000,
                 *       "user_daily_gold": 5,
                 *       "partner_daily_usdc": 2000000,
                 *       "partner_daily_gold": 500
                 *     }
                 */
                "application/json": components["schemas"]["PutLimitsRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VelocityLimits"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getPartnerLimits: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VelocityLimits"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["partner_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    putPartnerLimits: {
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
                 * @description Id of the partner, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id: components["parameters"]["partner_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_daily_usdc": 10000,
                 *       "user_daily_gold": 5,
                 *       "partner_daily_usdc": 2000000,
                 *       "partner_daily_gold": 500
                 *     }
                 */
                "application/json": components["schemas"]["PutPartnerLimitsRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VelocityLimits"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["partner_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getUserLimits: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VelocityLimits"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["user_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    putUserLimits: {
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
                 * @description Id of the user, prefixed `gu_`.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id: components["parameters"]["service_user_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_daily_usdc": 10000,
                 *       "user_daily_gold": 5
                 *     }
                 */
                "application/json": components["schemas"]["PutUserLimitsRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VelocityLimits"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["user_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listRedemptions: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this beginning of an id, transaction, serial of its bar, or id or wallet of its user. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example A123456
                 */
                q?: string;
                /**
                 * @description `submitted`, `preparing`, `ready`, `collected`, `cancellation_requested`, `cancelled` or `failed`.
                 * @example submitted
                 */
                status?: "submitted" | "preparing" | "ready" | "collected" | "cancellation_requested" | "cancelled" | "failed";
                /**
                 * @description Only those of this partner.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id?: string;
                /**
                 * @description Only those of this user.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id?: string;
                /**
                 * @description Only those in this city; upper and lower case are equal.
                 * @example Karachi
                 */
                city?: string;
                /**
                 * @description Only `cancelled` and `collected` redemptions: with `true`, those whose tokens have left escrow or are about to; with `false`, those whose tokens wait to be refunded or burned.
                 * @example false
                 */
                settled?: "true" | "false";
                /**
                 * @description Only those that this operator sees to: an id, `me`, or `none` for those that no operator sees to.
                 * @example me
                 */
                assigned_to?: string;
                /**
                 * @description `asc`: oldest first, the default; `desc`: newest first.
                 * @example asc
                 */
                order?: "asc" | "desc";
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRedemptionsResult"];
                    "text/csv": components["schemas"]["RedemptionsTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedemptionCase"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    prepareRedemption: {
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
                 *       "bar_serial": "PKTOLA1-001",
                 *       "bar_refiner": "Valcambi",
                 *       "note": "Bar 1042 is on its way"
                 *     }
                 */
                "application/json": components["schemas"]["PrepareRedemptionRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MovedRedemption"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed_or_bar_not_available"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    readyRedemption: {
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
                 *       "bar_serial": "PKTOLA1-001",
                 *       "bar_refiner": "Valcambi",
                 *       "note": "Bar 1042 is on its way"
                 *     }
                 */
                "application/json": components["schemas"]["ReadyRedemptionRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MovedRedemption"];
                };
            };
            400: components["responses"]["invalid_request_or_bar_required"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed_or_bar_not_available"];
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
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "physical_gold_committed": false,
                 *       "note": "Bar 1042 is on its way"
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MovedRedemption"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    assignRedemption: {
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
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "assignee_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10"
                 *     }
                 */
                "application/json": components["schemas"]["AssignRedemptionRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssignedRedemption"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    collectRedemption: {
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
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "pickup_code": "04711338",
                 *       "note": "Bar 1042 is on its way"
                 *     }
                 */
                "application/json": components["schemas"]["CollectRedemptionRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MovedRedemption"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request_or_bar_required_or_pickup_code_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed_or_bar_not_available_or_pickup_code_locked"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    reissuePickupCode: {
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
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["ReissuePickupCodeRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedPickupCode"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    revealIdentity: {
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
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["RevealIdentityRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getReceipt: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["transition_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    refundRedemption: {
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
                /** @example {} */
                "application/json": components["schemas"]["RefundRedemptionRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refund"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    burnRedemption: {
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
                /** @example {} */
                "application/json": components["schemas"]["BurnRedemptionRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Burn"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    cancelBurn: {
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
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["CancelBurnRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Burn"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["redemption_not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listBars: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this part of a serial or refiner. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example A123
                 */
                q?: string;
                /**
                 * @description Only bars with this status.
                 * @example in_stock
                 */
                status?: "in_stock" | "reserved" | "handed_over" | "withdrawn";
                /**
                 * @description Only this city; upper and lower case are equal.
                 * @example Karachi
                 */
                city?: components["parameters"]["city"];
                /**
                 * @description Only bars of this denomination.
                 * @example pk_tola_1
                 */
                denomination_id?: string;
                /**
                 * @description Only bars with this serial. Upper and lower case, variants of dashes and spacing make no difference.
                 * @example A123456
                 */
                serial?: string;
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListBarsResult"];
                    "text/csv": components["schemas"]["BarsTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    addBars: {
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
                 *       "bars": [
                 *         {
                 *           "serial": "A123456",
                 *           "refiner": "Valcambi",
                 *           "fineness": 999.9,
                 *           "weight_g": 11.6638038,
                 *           "denomination_id": "pk_tola_1",
                 *           "city": "Karachi"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AddBarsRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddedBars"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BarsWaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getBar: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the bar, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                bar_id: components["parameters"]["bar_id"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bar"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    changeBar: {
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
                 * @description Id of the bar, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                bar_id: components["parameters"]["bar_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "city": "Karachi",
                 *       "denomination_id": "pk_tola_1",
                 *       "fineness": 999.9,
                 *       "weight_g": 11.6638038,
                 *       "status": "in_stock",
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeBarRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bar"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApproval"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_denomination_or_invalid_city"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    checkBars: {
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
                 *       "bars": [
                 *         {
                 *           "serial": "A123456",
                 *           "refiner": "Valcambi",
                 *           "fineness": 999.9,
                 *           "weight_g": 11.6638038,
                 *           "denomination_id": "pk_tola_1",
                 *           "city": "Karachi"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CheckBarsRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckBarsResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getStock: {
        parameters: {
            query?: {
                /**
                 * @description Only this city; upper and lower case are equal.
                 * @example Karachi
                 */
                city?: components["parameters"]["city"];
                /**
                 * @description Only this denomination.
                 * @example pk_tola_1
                 */
                denomination_id?: string;
                /**
                 * @description `csv`: the same rows as a table.
                 * @example json
                 */
                format?: "json" | "csv";
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetStockResult"];
                    "text/csv": components["schemas"]["StockTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /**
                 * @description Only those with this status.
                 * @example pending
                 */
                status?: "pending" | "approved" | "rejected" | "expired";
                /**
                 * @description Only rows with this object, or part of an action. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example refund
                 */
                q?: string;
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListApprovalsResult"];
                    "text/csv": components["schemas"]["ApprovalsTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    approve: {
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
                 * @description Id of the pending approval.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                approval_id: components["parameters"]["approval_id"];
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
                "application/json": components["schemas"]["ApproveRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "redemption_id": "red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "refund_tx_hash": "4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8"
                     *     }
                     */
                    "application/json": components["schemas"]["ApproveResult"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_invalid_challenge_or_broadcast_failed_or_second_factor_wrong"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required_or_wallet_not_allowed"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    reject: {
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
                 * @description Id of the pending approval.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                approval_id: components["parameters"]["approval_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["RejectRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listTrades: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this beginning of an id, transaction, or beginning of an id or wallet of its user. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example customer-1042
                 */
                q?: string;
                /**
                 * @description Only those of this partner.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id?: string;
                /**
                 * @description Only those of this user.
                 * @example gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                service_user_id?: string;
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTradesResult"];
                    "text/csv": components["schemas"]["TradesTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
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
                trade_id: string;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trade"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["trade_not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this beginning of an id, transaction or signer. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                q?: string;
                /**
                 * @description Only those of this partner.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                partner_id?: string;
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOrdersResult"];
                    "text/csv": components["schemas"]["OrdersTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 printable characters. Anything else is replaced. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /**
                 * @description Id of the order, a UUID.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                id: string;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this object, action or request id. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example redemption.ready
                 */
                q?: string;
                /**
                 * @description Kind of the thing that was changed.
                 * @example redemption
                 */
                object_type?: string;
                /**
                 * @description Id of the object.
                 * @example red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                object_id?: string;
                /**
                 * @description Only those by this operator.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                operator_id?: string;
                /**
                 * @description What was done.
                 * @example redemption.ready
                 */
                action?: string;
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
                /**
                 * @description `next_cursor` of the previous page.
                 * @example MTA0Mg
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAuditEntriesResult"];
                    "text/csv": components["schemas"]["EntriesTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    verifyAuditLog: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyAuditLogResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getChainStatus: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainStatus"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    putChainStatus: {
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
                 *       "paused": {
                 *         "trade": false,
                 *         "partner": false,
                 *         "withdraw": false,
                 *         "redeem": false,
                 *         "settle": false,
                 *         "treasury": false
                 *       },
                 *       "market": "closed",
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["PutChainStatusRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedChainStatus"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getChainSettings: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainSettings"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    proposeChainSettings: {
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
                 *       "settings": {
                 *         "max_trade_usdc": 500000
                 *       },
                 *       "reason": "Smaller trades over the holidays"
                 *     }
                 */
                "application/json": components["schemas"]["ProposeChainSettingsRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedChainSettings"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    applyChainSettings: {
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
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["ApplyChainSettingsRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedChainSettings"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    cancelChainSettings: {
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
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["CancelChainSettingsRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedChainSettings"];
                };
            };
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10",
                     *       "expires_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingForApprovalOrSignature"];
                };
            };
            400: components["responses"]["invalid_request_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OraclePrice"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPriceHistoryResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getIndexer: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetIndexerResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /**
                 * @description Only rows with this beginning of an id, transaction, or part of a reason. KYC data is not searched here, because `q` is part of the URL: `POST /users/search` does that.
                 * @example unknown
                 */
                q?: string;
                /**
                 * @description Only open ones, or only resolved ones.
                 * @example true
                 */
                open?: "true" | "false";
                /**
                 * @description Only of this reason.
                 * @example unknown_user
                 */
                reason?: string;
                /**
                 * @description Only about this transaction or account.
                 * @example 5hKzYw3mJzG3X1dWm8dQvZx3yq6cJm7Yb2o1n4Vt9sRkPfLxUeHaBcDgEwFiGjHkLmNpQrStUvWxYz1234567891
                 */
                signature?: string;
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
                 * @description `csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description With `true`, the response has `total`: how many rows all pages have together, of which 1000 are counted.
                 * @example true
                 */
                total?: components["parameters"]["total"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDeadLettersResult"];
                    "text/csv": components["schemas"]["DeadLettersTable"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    retryDeadLetter: {
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
                 * @description Id of the dead letter.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RetryDeadLetterRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    resolveDeadLetters: {
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
                 *       "dead_letter_ids": [
                 *         "019ca945-0a00-7c3e-9d61-4b8f2a7e5c10"
                 *       ],
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["ResolveDeadLettersRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolveDeadLettersResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    resolveDeadLetter: {
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
                 * @description Id of the dead letter.
                 * @example 019ca945-0a00-7c3e-9d61-4b8f2a7e5c10
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the partner, ticket 4711"
                 *     }
                 */
                "application/json": components["schemas"]["ResolveDeadLetterRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_conflict_or_transition_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    getTreasury: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetTreasuryResult"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_second_factor_required"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    prepareAttestation: {
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
                 *       "amount": 150000,
                 *       "burned_at": 0,
                 *       "report_hash": "c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7",
                 *       "confirm": 150000
                 *     }
                 */
                "application/json": components["schemas"]["PrepareAttestationRequest"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreparedAttestation"];
                };
            };
            400: components["responses"]["invalid_request_or_broadcast_failed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["insufficient_scope_or_forbidden_or_second_factor_required"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
}
