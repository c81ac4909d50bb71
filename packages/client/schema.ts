// Made from the OpenAPI document by `bun run docs`.

export interface paths {
    "/Application": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List Application records
         * @description In the order of their Ids. Every filter but Search must be equal; its name may be written in any case.
         */
        get: operations["listApplication"];
        put?: never;
        /** The same as PATCH */
        post: operations["postApplication"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update or make one Application
         * @description With an Id, that record is updated; if there is none, the answer is 404. Without one, the record that Name or ExternalId or ApplicationKey points at is updated, and if there is none, one is inserted. When all of them are empty, a record is inserted.
         *
         *     An array is upserted as a whole or not at all; an error names the record by its index. If-Match and If-None-Match are for one record only.
         */
        patch: operations["upsertApplication"];
        trace?: never;
    };
    "/Application/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one Application */
        get: operations["getApplication"];
        put?: never;
        post?: never;
        /**
         * Delete one Application
         * @description Refused with 409 while another record points at it, and to the client or user that it is.
         */
        delete: operations["deleteApplication"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/User": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List User records
         * @description In the order of their Ids. Every filter but Search must be equal; its name may be written in any case.
         */
        get: operations["listUser"];
        put?: never;
        /** The same as PATCH */
        post: operations["postUser"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update or make one User
         * @description With an Id, that record is updated; if there is none, the answer is 404. Without one, the record that External_Id or Username points at is updated, and if there is none, one is inserted. When all of them are empty, a record is inserted.
         *
         *     An array is upserted as a whole or not at all; an error names the record by its index. If-Match and If-None-Match are for one record only.
         */
        patch: operations["upsertUser"];
        trace?: never;
    };
    "/User/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one User */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete one User
         * @description Refused with 409 while another record points at it, and to the client or user that it is.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Department": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List Department records
         * @description In the order of their Ids. Every filter but Search must be equal; its name may be written in any case.
         */
        get: operations["listDepartment"];
        put?: never;
        /** The same as PATCH */
        post: operations["postDepartment"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update or make one Department
         * @description With an Id, that record is updated; if there is none, the answer is 404. Without one, the record that Name or ExternalId points at is updated, and if there is none, one is inserted. When all of them are empty, a record is inserted.
         *
         *     An array is upserted as a whole or not at all; an error names the record by its index. If-Match and If-None-Match are for one record only.
         */
        patch: operations["upsertDepartment"];
        trace?: never;
    };
    "/Department/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one Department */
        get: operations["getDepartment"];
        put?: never;
        post?: never;
        /**
         * Delete one Department
         * @description Refused with 409 while another record points at it, and to the client or user that it is.
         */
        delete: operations["deleteDepartment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Entities": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List the entities that can trigger webhooks
         * @description With the fields of each, their types, and the kinds of its events.
         */
        get: operations["listEntities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookConnection": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook connections
         * @description The newest first.
         */
        get: operations["listWebhookConnection"];
        put?: never;
        /** The same as PATCH */
        post: operations["postWebhookConnection"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update or make one webhook connection
         * @description The connection that Id, or without it Name, points at is updated; else a new one is made, which needs URL, Entities and Events. An ApiKey is generated unless it is given.
         */
        patch: operations["upsertWebhookConnection"];
        trace?: never;
    };
    "/WebhookConnection/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Read one webhook connection
         * @description Neither its secret nor the values of its headers are ever read back.
         */
        get: operations["getWebhookConnection"];
        put?: never;
        post?: never;
        /**
         * Delete one webhook connection
         * @description Deliveries that still wait are cancelled.
         */
        delete: operations["deleteWebhookConnection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookConnection/{Id}/Ping": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a webhook connection
         * @description Sends a signed event of its own kind, EventType Ping, to this connection alone, also while it is Held or Paused. There is one attempt, and whatever comes of it, the connection stays as it is.
         */
        post: operations["pingWebhookConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookConnection/{Id}/Secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Read how a change of the secret stands
         * @description No secret is ever read back.
         */
        get: operations["getWebhookSecret"];
        put?: never;
        /**
         * Stage a new secret
         * @description From now on it signs beside the one in force in webhook-signature, so that a receiver by Standard Webhooks may change to it at any time; X-Signature stays with the one in force until the new one is proved. It takes the place of one that was staged before.
         */
        post: operations["stageWebhookSecret"];
        /**
         * Give up a staged secret, and end a former one at once
         * @description The secret in force stays. That one is taken away by WebhookConnection's `Secret: null`.
         */
        delete: operations["endWebhookSecretRotation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookConnection/{Id}/Secret/Prove": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a staged secret in force, if the receiver knows it
         * @description Sends a ping signed by the staged secret alone. A 2xx to it puts that secret in force, also for X-Signature, and the former one signs beside it for OverlapSeconds. Anything else leaves all as it is; GET says why.
         */
        post: operations["proveWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookConnection/{Id}/Test": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a webhook connection a test with sample data
         * @description A signed event, as a change of this kind would make it, to this connection alone, also while it is Held or Paused. Its Data is a sample, whose Id no record has, and its last field is `Test: true`. In the activity log it is a Ping. There is one attempt, and whatever comes of it, the connection stays as it is.
         */
        post: operations["testWebhookConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookConnection/{Id}/Status": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Read how a webhook connection stands just now
         * @description What waits for it, how much is let out to it at a time, and when it is probed again.
         */
        get: operations["getWebhookConnectionStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookConnection/{Id}/Statistics": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Read how a webhook connection has fared
         * @description Outcomes and answer times of the last 24 hours by the hour, or of the last 7 days by 6 hours.
         */
        get: operations["getWebhookConnectionStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookEvent": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List changes and how their deliveries stand
         * @description The newest first, without payload and attempts.
         */
        get: operations["listWebhookEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookEvent/Stream": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Be told of changes as they are committed
         * @description Server-sent events (EventSource). The data of each is { Sequence, Payload }, what a receiver gets as webhook-sequence and body, whether or not a connection subscribes to it; what your policies hide of is left out. The stream ends after Seconds: come again with the last id as Last-Event-ID, at most 24 hours old, and you get what has been committed since. A change may come twice after a cut.
         */
        get: operations["streamWebhookEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookEvent/{EventId}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one change with its payload, deliveries and attempts */
        get: operations["getWebhookEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookEvent/{EventId}/Redeliver": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one change again
         * @description The same EventId and bytes, with all attempts again; those before stay in the log. What goes to a connection that is Paused is recorded as Held. While a delivery of the change is under way it is 409, and so it is if all of its connections are Held: resume one first, by State Active.
         */
        post: operations["redeliverWebhookEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookEvent/DeadLetters": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Count what receivers did not get, and whose fault that is
         * @description Of each connection, the newest first, its deliveries that are Exhausted or Held, by what the last attempt came to. Pings do not count. `WebhookEvent?ConnectionId=…&State=Exhausted` lists them. Who may not read every event gets each connection there is, whatever it has: its counts are null, and it has no Reasons.
         */
        get: operations["countDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/WebhookEvent/{EventId}/Why": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Why each connection did or did not get one change
         * @description Of every connection, the newest first and those that are deleted too, as it was when the change was made.
         */
        get: operations["explainWebhookEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Redelivery": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List redeliveries
         * @description The newest first.
         */
        get: operations["listRedelivery"];
        put?: never;
        /**
         * Send many deliveries of a connection again
         * @description Ask with DryRun first: it answers how many there are, and starts nothing. While a connection has a Replay that has not ended, another one is 409. Each delivery gets all its attempts again.
         */
        post: operations["createRedelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Redelivery/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one redelivery and how far it has come */
        get: operations["getRedelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Pause, resume or cancel a redelivery, or change its rate
         * @description What it has put on its way goes on. A Drain that is cancelled leaves the rest Held and its connection Paused.
         */
        patch: operations["changeRedelivery"];
        trace?: never;
    };
    "/Redelivery/{Id}/Deliveries": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List what a redelivery has sent, before and after
         * @description The first sent first, without those of events that the caller may not read.
         */
        get: operations["listRedeliveryDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Redelivery/{Id}/Deliveries/Export": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * The same as a file
         * @description At most 100,000 rows; what would have more is 400. In CSV a text that a spreadsheet could take for a formula begins with an apostrophe.
         */
        get: operations["exportRedeliveryDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/IdentityProvider": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List identity providers
         * @description Without those that the caller may not read.
         */
        get: operations["listIdentityProvider"];
        put?: never;
        /** The same as PATCH */
        post: operations["postIdentityProvider"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update or make one identity provider
         * @description The provider that Id, or without it Name or ExternalId, points at is updated; else a new one is made, which needs Name, Type, ClientId, and the Issuer or, with Type OAuth2, the three endpoints.
         */
        patch: operations["upsertIdentityProvider"];
        trace?: never;
    };
    "/IdentityProvider/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one identity provider */
        get: operations["getIdentityProvider"];
        put?: never;
        post?: never;
        /**
         * Delete one identity provider
         * @description Its links to users and the sessions begun by it end, and these users' refresh tokens that came of signing in at a provider; the users stay. 409 while an Application's AuthenticationId points at it.
         */
        delete: operations["deleteIdentityProvider"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/IdentityProvider/{Id}/Test": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a provider what a sign-in would
         * @description Reads the metadata and the keys, and presents a made-up code by the ClientId and its secret. Nothing is changed, and a provider that is switched off is asked too. It takes 10 s at most.
         */
        post: operations["testIdentityProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Api": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List APIs
         * @description Without those that the caller may not read.
         */
        get: operations["listApi"];
        put?: never;
        /** The same as PATCH */
        post: operations["postApi"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update or make one API
         * @description The API that Id, or without it Name, points at is updated; else a new one is made, which needs Name and Audience. Clients and roles are given its scopes by their names.
         */
        patch: operations["upsertApi"];
        trace?: never;
    };
    "/Api/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one API */
        get: operations["getApi"];
        put?: never;
        post?: never;
        /**
         * Delete one API
         * @description No token for it is issued any more, and introspection knows none. Who verifies by the keys alone takes those that are out until they expire. Its scopes are taken from clients, roles and consents.
         */
        delete: operations["deleteApi"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List policies
         * @description Without those that the caller may not read.
         */
        get: operations["listPolicy"];
        put?: never;
        /** The same as PATCH */
        post: operations["postPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update or make one policy
         * @description The policy that Id, or without it Name, points at is updated; else a new one is made, which needs Name and Policy. Refused with 409 when its caller could not make the change again afterwards.
         */
        patch: operations["upsertPolicy"];
        trace?: never;
    };
    "/Policy/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one policy */
        get: operations["getPolicy"];
        put?: never;
        post?: never;
        /**
         * Delete one policy
         * @description Refused with 409 when its caller could not make the change again afterwards.
         */
        delete: operations["deletePolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Policy/{Id}/Versions": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List the texts that a policy has had
         * @description The newest first; 50 are kept. To restore one, PATCH the Policy with its text.
         */
        get: operations["listPolicyVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Policy/Validate": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say what keeps a text from being saved as a policy
         * @description Nothing is saved.
         */
        post: operations["validatePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Policy/Evaluate": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say whether a call would be allowed, and by which policies
         * @description It is decided as a call is, and nothing is saved. With Policy, as if that text were saved: in the place of the policy that Id, or without it Name, points at, else beside the others. 403 unless the caller may read the principal, the record with all it points at, and every policy and role, for the answer tells of these. So it does of a Client's scopes, unless Context.Scopes says them: without it, 403 to who may not read all Credentials. A record of WebhookConnection takes Webhooks:Read too. 409 where the text would be too much beside the other policies, as when it is saved.
         */
        post: operations["evaluatePolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Role": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List roles
         * @description Without those that the caller may not read.
         */
        get: operations["listRole"];
        put?: never;
        /** The same as PATCH */
        post: operations["postRole"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update or make one role
         * @description The role that Id, or without it Name, points at is updated; else a new one is made, which needs Name. Refused with 409 when its caller could not make the change again afterwards.
         */
        patch: operations["upsertRole"];
        trace?: never;
    };
    "/Role/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one role */
        get: operations["getRole"];
        put?: never;
        post?: never;
        /**
         * Delete one role
         * @description Refused with 409 when its caller could not make the change again afterwards.
         */
        delete: operations["deleteRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Alert": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts
         * @description The newest first.
         */
        get: operations["listAlert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Alert/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one alert */
        get: operations["getAlert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Alert/{Id}/Acknowledge": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that somebody sees to an alert
         * @description Settings tell it no more until it ends, or until a time that is given. 409 once it has ended.
         */
        post: operations["acknowledgeAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/AuditEvent": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List what was done
         * @description The newest first, without those that the caller may not read. Of failures that strangers can cause there are 1000 an hour at most; a Failures.Omitted says that there were more.
         */
        get: operations["listAuditEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/AuditEvent/Export": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * The same as a file
         * @description At most 100,000 rows; what would have more is 400. In CSV a text that a spreadsheet could take for a formula begins with an apostrophe.
         */
        get: operations["exportAuditEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/AuditEvent/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one row of the audit log */
        get: operations["getAuditEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Request": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List the last requests
         * @description The newest first. A request appears a second after its answer. Of a client that nobody could tell there is none, and of very many at once some are left out.
         */
        get: operations["listRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Request/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one of the last requests */
        get: operations["getRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Application/{Id}/Credentials": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read an Application's credentials */
        get: operations["getCredentials"];
        put?: never;
        /** The same as PATCH */
        post: operations["postCredentials"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an Application's credentials
         * @description Refused with 409 when the client that calls would lose its own grant or Settings scopes.
         */
        patch: operations["changeCredentials"];
        trace?: never;
    };
    "/Application/{Id}/Secrets": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** List an Application's secrets, without the secrets themselves */
        get: operations["listSecrets"];
        put?: never;
        /**
         * Make a secret
         * @description This answer alone has it. Two may live at a time, so that one can be replaced; a third is 409.
         */
        post: operations["makeSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Application/{Id}/Secrets/{SecretId}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a secret
         * @description The last one of the client that calls is refused with 409.
         */
        delete: operations["deleteSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/RegistrationToken": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** List initial access tokens that can be used, without the tokens themselves */
        get: operations["listRegistrationTokens"];
        put?: never;
        /**
         * Make an initial access token (RFC 7591): the answer's `Token`, shown once
         * @description This answer alone has it. 50 can live at a time; another one is 409.
         */
        post: operations["makeRegistrationToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/RegistrationToken/{Id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an initial access token
         * @description Clients that were registered by it stay.
         */
        delete: operations["deleteRegistrationToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/RegistrationAccessToken": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** List the Applications that have registered themselves, and what is known of their tokens */
        get: operations["listRegistrationAccessTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Application/{Id}/RegistrationAccessToken": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read what is known of an Application's registration access token */
        get: operations["getRegistrationAccessToken"];
        put?: never;
        /**
         * Replace an Application's registration access token (RFC 7592): the answer's `Token`, shown once
         * @description This answer alone has the new one. The one before is invalid at once.
         */
        post: operations["replaceRegistrationAccessToken"];
        /**
         * Revoke an Application's registration access token
         * @description The client works on. It can no longer read, change or delete itself.
         */
        delete: operations["revokeRegistrationAccessToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Application/{Id}/Logouts": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List the logouts that an Application was told of
         * @description The newest first, with their attempts. One that has ended is kept for 30 days.
         */
        get: operations["listLogouts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Application/{Id}/Logouts/{LogoutId}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read one logout with its attempts */
        get: operations["getLogout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Application/{Id}/Logouts/{LogoutId}/Redeliver": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one logout again
         * @description To the address that the Application has now, with another token and all attempts again. While it is under way it is 409, and so it is for an Application without BackchannelLogoutUri.
         */
        post: operations["redeliverLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/User/{Id}/Grants": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List the Applications that may act in the name of a User
         * @description Without those that the caller may not read.
         */
        get: operations["listGrantsOfUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Application/{Id}/Grants": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List the Users in whose name an Application may act
         * @description Without those that the caller may not read.
         */
        get: operations["listGrantsOfApplication"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/User/{Id}/Grants/{ApplicationId}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke what an Application may do in the name of a User
         * @description Its tokens and codes for this User end at once. The next sign-in asks again, unless the Application is FirstParty.
         */
        delete: operations["revokeGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/User/{Id}/PasswordReset": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link by which a User sets a password, the first one too
         * @description It is good once and for an hour, and a new one takes its place. Setting the password ends all of the User's sessions, refresh tokens included.
         */
        post: operations["makePasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/User/{Id}/SecondFactor": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read whether a User has a second factor */
        get: operations["getSecondFactor"];
        put?: never;
        post?: never;
        /** Remove it for a User who has lost it */
        delete: operations["deleteSecondFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/User/{Id}/Identities": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** List the accounts at identity providers that a User signs in by */
        get: operations["listIdentities"];
        put?: never;
        /**
         * Link an account at an identity provider, which signs the User in from then on
         * @description 409 if it is linked with another User. With this one, nothing changes.
         */
        post: operations["linkIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/User/{Id}/Identities/{IdentityId}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink one of them
         * @description The sessions that its provider has begun end as well, with their refresh tokens.
         */
        delete: operations["unlinkIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/User/{Id}/Sessions": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List the browsers in which a User is signed in
         * @description The newest first.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * End all of them
         * @description All of the User's refresh tokens end as well.
         */
        delete: operations["endSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/User/{Id}/Sessions/{SessionId}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of them
         * @description The refresh tokens that came of it end as well.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/TenantSettings": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** Read what holds for all of the caller's tenant */
        get: operations["getTenantSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change them
         * @description What is left out stays as it is. It counts for the next request of every user.
         */
        patch: operations["changeTenantSettings"];
        trace?: never;
    };
    "/SigningKey": {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys that are published, with their dates
         * @description The newest first, without those that the caller may not read. The keys themselves stand at `/.well-known/jwks.json`. Whoever runs the installation ends one that has leaked, and all that it has signed, by `bun run keys rotate --leaked`.
         */
        get: operations["listSigningKeys"];
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
        /** @description An application; with credentials it is an OAuth client, and its Id is the client_id. */
        Application: {
            /** @description Identifier of the application. Primary key; cannot be changed. */
            Id: string;
            /**
             * @description Must be unique in the system.
             * @default
             */
            Name: string;
            /**
             * @description Identifies the application; unique within each workspace and unique in the system.
             * @default
             */
            ApplicationKey: string;
            /**
             * @description External system code; unique in the system.
             * @default
             */
            ExternalId: string;
            /**
             * @description Description.
             * @default
             */
            Description: string;
            /**
             * @description Web site URL of the application.
             * @default
             */
            WebSiteURL: string;
            /**
             * @description System application (settings menu).
             * @default false
             */
            Is_System: boolean;
            /**
             * @description End-user application.
             * @default false
             */
            Is_EndUser: boolean;
            /**
             * @description Application is active and usable.
             * @default false
             */
            Is_Active: boolean;
            /**
             * Format: date-time
             * @description Update date.
             * @default 1900-01-01T12:00:00Z
             */
            ModifiedOn: string;
            /** @description Who updated the record. */
            ModifiedBy: components["schemas"]["AbstractLong"];
            /** @description Who created the record. */
            CreatedBy: components["schemas"]["AbstractLong"];
            /**
             * Format: date-time
             * @description Creation date.
             * @default 1900-01-01T12:00:00Z
             */
            CreatedOn: string;
        };
        /** @description An application; with credentials it is an OAuth client, and its Id is the client_id. Absent fields are left alone, null clears a field. */
        ApplicationData: {
            /** @description Identifier of the application. Primary key; cannot be changed. Empty: the record is found by Name, ExternalId, ApplicationKey, or is new. */
            Id?: string | null;
            /** @description Must be unique in the system. */
            Name?: string | null;
            /** @description Identifies the application; unique within each workspace and unique in the system. */
            ApplicationKey?: string | null;
            /** @description External system code; unique in the system. */
            ExternalId?: string | null;
            /** @description Description. */
            Description?: string | null;
            /** @description Web site URL of the application. */
            WebSiteURL?: string | null;
            /** @description System application (settings menu). */
            Is_System?: boolean | null;
            /** @description End-user application. */
            Is_EndUser?: boolean | null;
            /** @description Application is active and usable. */
            Is_Active?: boolean | null;
            /**
             * Format: date-time
             * @description Update date.
             * @default 1900-01-01T12:00:00Z
             */
            readonly ModifiedOn?: string;
            /**
             * Format: date-time
             * @description Creation date.
             * @default 1900-01-01T12:00:00Z
             */
            readonly CreatedOn?: string;
            /** @description The parent application. */
            ApplicationId?: components["schemas"]["ForeignKey"];
            /** @description The identity provider that the application's users sign in with. */
            AuthenticationId?: components["schemas"]["ForeignKey"];
            /** @description Who updated the record. It is looked up, but the server's own value is stored. */
            ModifiedBy?: components["schemas"]["ForeignKey"];
            /** @description Who created the record. It is looked up, but the server's own value is stored. */
            CreatedBy?: components["schemas"]["ForeignKey"];
        };
        /** @description A person who can sign in. */
        User: {
            /**
             * Format: int32
             * @description Unique identifier of the user.
             * @default 0
             */
            Id: number;
            /**
             * @description Full name.
             * @default
             */
            Name: string;
            /**
             * @description Login name; of a user who can sign in, that user's alone, whatever its capitals.
             * @default
             */
            Username: string;
            /**
             * @description E-mail contact.
             * @default
             */
            Email: string;
            /**
             * @description Mobile phone number.
             * @default
             */
            MobilePhone: string;
            /**
             * @description Identifier of the user in an external system.
             * @default
             */
            External_Id: string;
            /**
             * @description Given name, as in OpenID Connect's given_name.
             * @default
             */
            GivenName: string;
            /**
             * @description Family name, as in family_name.
             * @default
             */
            FamilyName: string;
            /**
             * @description Language and region, as in locale: a BCP 47 tag.
             * @default
             */
            Locale: string;
            /**
             * @description Time zone, as in zoneinfo: a name of the IANA database.
             * @default
             */
            ZoneInfo: string;
            /**
             * @description Address of a picture of the person, as in picture.
             * @default
             */
            Picture: string;
            /**
             * @description Middle name, as in middle_name.
             * @default
             */
            MiddleName: string;
            /**
             * @description Casual name, as in nickname.
             * @default
             */
            Nickname: string;
            /**
             * @description Address of a page about the person, as in profile.
             * @default
             */
            Profile: string;
            /**
             * @description Address of the person's own site, as in website.
             * @default
             */
            Website: string;
            /**
             * @description Gender, as in gender.
             * @default
             */
            Gender: string;
            /**
             * @description Date or year of birth, as in birthdate.
             * @default
             */
            BirthDate: string;
            /**
             * @description Postal address, as in formatted of address; it may have several lines.
             * @default
             */
            Address: string;
            /**
             * @description Whether Email is known to be the user's own; a new one is not.
             * @default false
             */
            EmailVerified: boolean;
            /**
             * @description The same of MobilePhone.
             * @default false
             */
            MobilePhoneVerified: boolean;
            /**
             * @description What the tenant's UserAttributes name: a text, a number, true or false, or a list of texts each. In a body, those that it leaves out stay, and null removes one.
             * @default {}
             */
            Attributes: {
                [key: string]: string | number | boolean | string[];
            };
            /**
             * Format: date-time
             * @description Creation date.
             * @default 1900-01-01T12:00:00Z
             */
            Creation_Date: string;
            /**
             * Format: date-time
             * @description Last login time.
             * @default 1900-01-01T12:00:00Z
             */
            Last_Login: string;
            /**
             * @description Whether the user is still active.
             * @default false
             */
            Is_Active: boolean;
            /** @description The department the user belongs to. */
            Department: components["schemas"]["AbstractLong"];
            /** @description Who updated the record. */
            ModifiedBy: components["schemas"]["AbstractLong"];
            /** @description Who created the record. */
            CreatedBy: components["schemas"]["AbstractLong"];
        };
        /** @description A person who can sign in. Absent fields are left alone, null clears a field. */
        UserData: {
            /**
             * Format: int64
             * @description Unique identifier of the user. Empty: the record is found by External_Id, Username, or is new.
             */
            Id?: number | string | null;
            /** @description Full name. */
            Name?: string | null;
            /** @description Login name; of a user who can sign in, that user's alone, whatever its capitals. */
            Username?: string | null;
            /** @description E-mail contact. */
            Email?: string | null;
            /** @description Mobile phone number. */
            MobilePhone?: string | null;
            /** @description Identifier of the user in an external system. */
            External_Id?: string | null;
            /** @description Given name, as in OpenID Connect's given_name. */
            GivenName?: string | null;
            /** @description Family name, as in family_name. */
            FamilyName?: string | null;
            /** @description Language and region, as in locale: a BCP 47 tag. */
            Locale?: string | null;
            /** @description Time zone, as in zoneinfo: a name of the IANA database. */
            ZoneInfo?: string | null;
            /** @description Address of a picture of the person, as in picture. */
            Picture?: string | null;
            /** @description Middle name, as in middle_name. */
            MiddleName?: string | null;
            /** @description Casual name, as in nickname. */
            Nickname?: string | null;
            /** @description Address of a page about the person, as in profile. */
            Profile?: string | null;
            /** @description Address of the person's own site, as in website. */
            Website?: string | null;
            /** @description Gender, as in gender. */
            Gender?: string | null;
            /** @description Date or year of birth, as in birthdate. */
            BirthDate?: string | null;
            /** @description Postal address, as in formatted of address; it may have several lines. */
            Address?: string | null;
            /** @description Whether Email is known to be the user's own; a new one is not. */
            EmailVerified?: boolean | null;
            /** @description The same of MobilePhone. */
            MobilePhoneVerified?: boolean | null;
            /** @description What the tenant's UserAttributes name: a text, a number, true or false, or a list of texts each. In a body, those that it leaves out stay, and null removes one. */
            Attributes?: {
                [key: string]: string | number | boolean | string[] | null;
            } | null;
            /**
             * Format: date-time
             * @description Creation date.
             * @default 1900-01-01T12:00:00Z
             */
            readonly Creation_Date?: string;
            /**
             * Format: date-time
             * @description Last login time.
             * @default 1900-01-01T12:00:00Z
             */
            readonly Last_Login?: string;
            /** @description Whether the user is still active. */
            Is_Active?: boolean | null;
            /** @description The department the user belongs to. */
            Department?: components["schemas"]["ForeignKey"];
            /** @description Who updated the record. It is looked up, but the server's own value is stored. */
            ModifiedBy?: components["schemas"]["ForeignKey"];
            /** @description Who created the record. It is looked up, but the server's own value is stored. */
            CreatedBy?: components["schemas"]["ForeignKey"];
        };
        /** @description A part of the organization that users belong to. */
        Department: {
            /**
             * Format: int64
             * @description Unique identifier of the department.
             * @default 0
             */
            Id: number;
            /**
             * @description External system code; unique in the system.
             * @default
             */
            ExternalId: string;
            /**
             * @description Must be unique in the system.
             * @default
             */
            Name: string;
            /**
             * @description Description.
             * @default
             */
            Description: string;
            /**
             * @description Whether the department is in use.
             * @default false
             */
            Is_Active: boolean;
            /** @description The department it is a part of. */
            ParentId: components["schemas"]["AbstractLong"];
            /**
             * Format: date-time
             * @description Update date.
             * @default 1900-01-01T12:00:00Z
             */
            ModifiedOn: string;
            /** @description Who updated the record. */
            ModifiedBy: components["schemas"]["AbstractLong"];
            /** @description Who created the record. */
            CreatedBy: components["schemas"]["AbstractLong"];
            /**
             * Format: date-time
             * @description Creation date.
             * @default 1900-01-01T12:00:00Z
             */
            CreatedOn: string;
        };
        /** @description A part of the organization that users belong to. Absent fields are left alone, null clears a field. */
        DepartmentData: {
            /**
             * Format: int64
             * @description Unique identifier of the department. Empty: the record is found by Name, ExternalId, or is new.
             */
            Id?: number | string | null;
            /** @description External system code; unique in the system. */
            ExternalId?: string | null;
            /** @description Must be unique in the system. */
            Name?: string | null;
            /** @description Description. */
            Description?: string | null;
            /** @description Whether the department is in use. */
            Is_Active?: boolean | null;
            /**
             * Format: date-time
             * @description Update date.
             * @default 1900-01-01T12:00:00Z
             */
            readonly ModifiedOn?: string;
            /**
             * Format: date-time
             * @description Creation date.
             * @default 1900-01-01T12:00:00Z
             */
            readonly CreatedOn?: string;
            /** @description The department it is a part of. */
            ParentId?: components["schemas"]["ForeignKey"];
            /** @description Who updated the record. It is looked up, but the server's own value is stored. */
            ModifiedBy?: components["schemas"]["ForeignKey"];
            /** @description Who created the record. It is looked up, but the server's own value is stored. */
            CreatedBy?: components["schemas"]["ForeignKey"];
        };
        EntityDescription: {
            Name: string;
            Fields: {
                Name: string;
                /** @description A type of this document, its format in brackets. */
                Type: string;
                /** @description Whether records are found by it, in a list and by Name. */
                Filter: boolean;
            }[];
            Events: ("Created" | "Updated" | "Deleted")[];
        };
        /** @description A receiver, and the changes it is told of. */
        WebhookConnection: {
            /** Format: uuid */
            Id: string;
            /**
             * @description Unique, if there is one.
             * @default
             */
            Name: string;
            /** @default  */
            Description: string;
            /**
             * Format: uri
             * @description Of each value in its query, a caller that may not change the connection sees `…` and the last four characters.
             */
            URL: string;
            /** @description Entities whose change triggers a call. Alert: what somebody should look at is raised, acknowledged or ended. */
            Entities: ("Application" | "User" | "Department" | "Alert")[];
            /** @description Kinds of change that trigger a call. */
            Events: ("Created" | "Updated" | "Deleted")[];
            /** @description A caller that may not change the connection sees `…` and its last four characters; of one with fewer than 12, `…` alone. */
            ApiKey: string;
            /** @description Names of the extra headers; their values are never read back. */
            Headers: {
                [key: string]: null;
            };
            /**
             * Format: int32
             * @description Milliseconds that one attempt may take; null: as WEBHOOK_TIMEOUT says.
             */
            TimeoutMs: number | null;
            /**
             * @description Record: each record has one delivery at a time in flight or waiting for a retry, in the order of its changes. An exhausted one lets the next pass. None: no order is promised.
             * @enum {string}
             */
            Order: "None" | "Record";
            /**
             * Format: int32
             * @description Posts that may begin in a second; null: no limit.
             */
            RatePerSecond: number | null;
            /**
             * Format: int32
             * @description Posts that may be in flight at a time; null: as many as the receiver keeps up with.
             */
            MaxInFlight: number | null;
            /**
             * Format: int32
             * @description Exhausted deliveries in a row after which it is Held. 1: the first one, so that all later ones wait. null: as WEBHOOK_HOLD_AFTER says.
             */
            HoldAfter: number | null;
            /**
             * @description Held: too many deliveries in a row were exhausted, or the receiver has answered 410. It is probed by the oldest delivery it has not got, and Active again once that arrives.
             * @enum {string}
             */
            State: "Active" | "Held" | "Paused";
            /**
             * Format: date-time
             * @description Since when it is Held. Taken only as it was read.
             */
            HeldOn: string | null;
            /**
             * @description Why it is Held. Taken only as it was read.
             * @example 410 Gone
             */
            HeldReason: string | null;
        };
        /** @description Absent fields are left alone. */
        WebhookConnectionData: {
            /** @description Empty: the connection is found by its Name, or is new. */
            Id?: string | null;
            /** @description Unique, if there is one. */
            Name?: string | null;
            Description?: string | null;
            /**
             * Format: uri
             * @description The receiver's address. It must be https, and public unless EGRESS_ALLOW names it. At another host or port, Secret, ApiKey and the values of Headers have to be sent again.
             */
            URL?: string;
            /** @description Entities whose change triggers a call. Alert: what somebody should look at is raised, acknowledged or ended. */
            Entities?: ("Application" | "User" | "Department" | "Alert")[];
            /** @description Kinds of change that trigger a call. */
            Events?: ("Created" | "Updated" | "Deleted")[];
            /** @description Signs the calls from now on; null: they are no longer signed. After `whsec_` the base64 of 24 to 64 bytes must follow. It ends a rotation; to change it without a failed call, stage it. */
            Secret?: string | null;
            /** @description Sent in the query of each call, to tell where it comes from. That of the URL, if it has one; another one beside it is refused. */
            ApiKey?: string;
            /** @description Headers that each call has beside ours, all of them, with 4000 characters at most. A value of null keeps the one that is there. */
            Headers?: {
                [key: string]: string | null;
            } | null;
            /**
             * Format: int32
             * @description Milliseconds that one attempt may take; null: as WEBHOOK_TIMEOUT says.
             */
            TimeoutMs?: number | null;
            /**
             * @description Record: each record has one delivery at a time in flight or waiting for a retry, in the order of its changes. An exhausted one lets the next pass. None: no order is promised.
             * @enum {string}
             */
            Order?: "None" | "Record";
            /**
             * Format: int32
             * @description Posts that may begin in a second; null: no limit.
             */
            RatePerSecond?: number | null;
            /**
             * Format: int32
             * @description Posts that may be in flight at a time; null: as many as the receiver keeps up with.
             */
            MaxInFlight?: number | null;
            /**
             * Format: int32
             * @description Exhausted deliveries in a row after which it is Held. 1: the first one, so that all later ones wait. null: as WEBHOOK_HOLD_AFTER says.
             */
            HoldAfter?: number | null;
            /**
             * @description Paused: deliveries are recorded as Held. Active: what was missed is sent. Held is taken only of a connection that is Held.
             * @enum {string}
             */
            State?: "Active" | "Held" | "Paused";
            /**
             * Format: date-time
             * @description Since when it is Held. Taken only as it was read.
             */
            readonly HeldOn?: string | null;
            /**
             * @description Why it is Held. Taken only as it was read.
             * @example 410 Gone
             */
            readonly HeldReason?: string | null;
        };
        WebhookPinged: {
            /**
             * Format: uuid
             * @description What comes of it stands in the activity log by this id.
             */
            EventId: string;
            WorkflowId: string;
            /**
             * Format: uri
             * @description The workflow in the Temporal UI.
             */
            WorkflowUrl: string;
        };
        WebhookSecret: {
            /**
             * @description None: calls are not signed. Staged: a secret waits to be proved. Proving: the ping is on its way. Refused: it got no 2xx; prove it again, or give it up. Overlap: the new secret is in force, and the former one signs too.
             * @enum {string}
             */
            State: "None" | "InForce" | "Staged" | "Proving" | "Refused" | "Overlap";
            /** Format: date-time */
            StagedOn: string | null;
            /**
             * Format: int32
             * @description Of the staged secret.
             */
            OverlapSeconds: number | null;
            /** @description The last ping that was to prove the staged secret; its EventId stands in the activity log. */
            Proof: {
                /** Format: uuid */
                EventId: string;
                /** @description The delivery's. */
                State: string;
                /** @description Why it failed. */
                Reason: string | null;
            } | null;
            /**
             * Format: date-time
             * @description Until then the former secret signs as well.
             */
            FormerUntil: string | null;
        };
        NewWebhookSecret: {
            /**
             * @description None: calls are not signed. Staged: a secret waits to be proved. Proving: the ping is on its way. Refused: it got no 2xx; prove it again, or give it up. Overlap: the new secret is in force, and the former one signs too.
             * @enum {string}
             */
            State: "None" | "InForce" | "Staged" | "Proving" | "Refused" | "Overlap";
            /** Format: date-time */
            StagedOn: string | null;
            /**
             * Format: int32
             * @description Of the staged secret.
             */
            OverlapSeconds: number | null;
            /** @description The last ping that was to prove the staged secret; its EventId stands in the activity log. */
            Proof: {
                /** Format: uuid */
                EventId: string;
                /** @description The delivery's. */
                State: string;
                /** @description Why it failed. */
                Reason: string | null;
            } | null;
            /**
             * Format: date-time
             * @description Until then the former secret signs as well.
             */
            FormerUntil: string | null;
            /** @description It is never shown again; null: it was given. */
            Secret: string | null;
        };
        WebhookSecretData: {
            Secret?: string | null;
            /**
             * Format: int32
             * @description For how long the former secret signs as well; null: as WEBHOOK_SECRET_OVERLAP says.
             */
            OverlapSeconds?: number | null;
        };
        WebhookTest: {
            /**
             * @description The entity's name.
             * @enum {string}
             */
            EventRecord: "Application" | "User" | "Department" | "Alert";
            /**
             * @description The kind of change.
             * @enum {string}
             */
            EventType: "Created" | "Updated" | "Deleted";
        };
        WebhookConnectionStatus: {
            /** Format: uuid */
            ConnectionId: string;
            /** @enum {string} */
            State: "Active" | "Held" | "Paused";
            /**
             * Format: int32
             * @description Deliveries that a workflow has: out, about to go, or waiting for a retry. null: the caller may not read every event.
             */
            UnderWay: number | null;
            /**
             * Format: int32
             * @description Deliveries in its queue, which wait for room in its window, its limits, or their time. null: the caller may not read every event.
             */
            Queued: number | null;
            /**
             * Format: int32
             * @description Deliveries that are Held. null: the caller may not read every event.
             */
            Held: number | null;
            /**
             * Format: date-time
             * @description When the oldest event of all these happened; null: none waits. null: the caller may not read every event.
             */
            OldestOn: string | null;
            /**
             * Format: int32
             * @description Deliveries that are Exhausted, of events of the last 24 hours. State Active does not send them: a Redelivery does. null: the caller may not read every event.
             */
            Exhausted: number | null;
            /**
             * Format: date-time
             * @description When the oldest event of these happened; null: there is none. null: the caller may not read every event.
             */
            ExhaustedSince: string | null;
            /**
             * Format: int32
             * @description Times that it was probed since it is Held.
             */
            Probes: number;
            /**
             * Format: date-time
             * @description When it is probed again; null: it is not Held.
             */
            NextProbeOn: string | null;
            /** @description Its window in each worker that has posted to it lately, a few seconds old. null: the caller may not read every event. */
            Windows: {
                /**
                 * Format: int32
                 * @description Posts that may be out to it at a time.
                 */
                Places: number;
                /**
                 * Format: int32
                 * @description Posts that are out, or about to be.
                 */
                Out: number;
                /**
                 * Format: int32
                 * @description Deliveries in the worker that wait for a place.
                 */
                Waiting: number;
                /** @description Its last answer, whatever it said, took less than a second, and none is overdue. */
                Quick: boolean;
            }[] | null;
        };
        WebhookConnectionStatistics: {
            /** Format: uuid */
            ConnectionId: string;
            /** Format: date-time */
            From: string;
            /** Format: date-time */
            To: string;
            /** @description The oldest first; null: the caller may not read every event. */
            Slices: {
                /** Format: date-time */
                From: string;
                /**
                 * Format: date-time
                 * @description The beginning of the next.
                 */
                To: string;
                /**
                 * Format: int32
                 * @description Deliveries that came to this state in this time, whatever became of them later; as the others.
                 */
                Delivered: number;
                /** Format: int32 */
                Exhausted: number;
                /** Format: int32 */
                Held: number;
                /** Format: int32 */
                Cancelled: number;
                /**
                 * Format: int32
                 * @description Pending or Retrying, and still so.
                 */
                Open: number;
                /**
                 * Format: int32
                 * @description Attempts that failed in this time, also those whose delivery arrived later.
                 */
                FailedAttempts: number;
                /**
                 * Format: int32
                 * @description Milliseconds that half of the answers took at most, of events of this time; null: there was none. Of many, some are looked at.
                 */
                P50Ms: number | null;
                /**
                 * Format: int32
                 * @description The same for 95 of 100.
                 */
                P95Ms: number | null;
            }[] | null;
        };
        WebhookEvent: {
            /** Format: uuid */
            EventId: string;
            /** @enum {string} */
            EventType: "Created" | "Updated" | "Deleted" | "Ping";
            /** @description The entity's name; of a ping WebhookConnection. */
            EventRecord: string;
            /** @description The record's Id; null for the event of an array, whose Payload has them all. */
            RecordId: string | null;
            /**
             * Format: int32
             * @description How many records it is of.
             */
            RecordCount: number;
            /** Format: date-time */
            Timestamp: string;
            /**
             * @description Of its deliveries the most urgent state; null: there is none.
             * @enum {string|null}
             */
            State: "Pending" | "Retrying" | "Delivered" | "Exhausted" | "Held" | "Cancelled" | null;
            /** @description Why nobody is told. */
            Reason: string | null;
            WorkflowId: string;
            /**
             * Format: uri
             * @description The workflow in the Temporal UI.
             */
            WorkflowUrl: string;
            Deliveries: components["schemas"]["WebhookDelivery"][];
        };
        WebhookDelivery: {
            /** Format: uuid */
            Id: string;
            /** Format: uuid */
            ConnectionId: string;
            /** @enum {string} */
            State: "Pending" | "Retrying" | "Delivered" | "Exhausted" | "Held" | "Cancelled";
            /**
             * Format: int32
             * @description Of all its runs.
             */
            AttemptCount: number;
            /**
             * Format: int32
             * @description The run that it is in; each redelivery begins one.
             */
            Run: number;
            WorkflowId: string;
            /**
             * Format: uri
             * @description The workflow in the Temporal UI.
             */
            WorkflowUrl: string;
        };
        WebhookEventDetail: {
            /** Format: uuid */
            EventId: string;
            /** @enum {string} */
            EventType: "Created" | "Updated" | "Deleted" | "Ping";
            /** @description The entity's name; of a ping WebhookConnection. */
            EventRecord: string;
            /** @description The record's Id; null for the event of an array, whose Payload has them all. */
            RecordId: string | null;
            /**
             * Format: int32
             * @description How many records it is of.
             */
            RecordCount: number;
            /** Format: date-time */
            Timestamp: string;
            /**
             * @description Of its deliveries the most urgent state; null: there is none.
             * @enum {string|null}
             */
            State: "Pending" | "Retrying" | "Delivered" | "Exhausted" | "Held" | "Cancelled" | null;
            /** @description Why nobody is told. */
            Reason: string | null;
            WorkflowId: string;
            /**
             * Format: uri
             * @description The workflow in the Temporal UI.
             */
            WorkflowUrl: string;
            /**
             * @description The webhook-sequence of its calls. null: they have none, as those of a ping.
             * @example 7
             */
            Sequence: string | null;
            /**
             * Format: uuid
             * @description The event of the change before, whose Payload has the record as it was then. null: it is the first, of several records, or of none, or that event is not kept, or not to be read.
             */
            BeforeEventId: string | null;
            Payload: components["schemas"]["WebhookPayload"] | components["schemas"]["WebhookPingPayload"] | components["schemas"]["WebhookPayloadWithheld"];
            /** @description Why Payload has no Data: no policy lets the caller read all records in it. Else null. */
            Withheld: string | null;
            Deliveries: components["schemas"]["WebhookDeliveryDetail"][];
        };
        WebhookPayload: {
            /** @description Tenant (organization) of the event. */
            TenantId: string;
            /** @enum {string} */
            EventType: "Created" | "Updated" | "Deleted";
            /**
             * Format: uuid
             * @description Unique identifier of the event instance.
             */
            EventId: string;
            /**
             * @description Version of the payload format.
             * @example 1.0
             */
            Version: string;
            /**
             * Format: date-time
             * @description Event time, ISO 8601.
             */
            Timestamp: string;
            /**
             * @description Type of record concerned.
             * @enum {string}
             */
            EventRecord: "Application" | "User" | "Department" | "Alert";
            /**
             * @description Object when Data is one entity; Array when Data is several.
             * @enum {string}
             */
            EventResponse: "Object" | "Array";
            /** @description The record as the API shows it, or of an array upsert all that were changed. */
            Data: components["schemas"]["Application"] | components["schemas"]["User"] | components["schemas"]["Department"] | components["schemas"]["Alert"] | (components["schemas"]["Application"] | components["schemas"]["User"] | components["schemas"]["Department"] | components["schemas"]["Alert"])[];
            /**
             * @description It is a test with sample data, which somebody has asked for; last of all.
             * @constant
             */
            Test?: true;
        };
        WebhookPingPayload: {
            /** @description Tenant (organization) of the event. */
            TenantId: string;
            /** @constant */
            EventType: "Ping";
            /**
             * Format: uuid
             * @description Unique identifier of the event instance.
             */
            EventId: string;
            /**
             * @description Version of the payload format.
             * @example 1.0
             */
            Version: string;
            /**
             * Format: date-time
             * @description Event time, ISO 8601.
             */
            Timestamp: string;
            /** @constant */
            EventRecord: "WebhookConnection";
            /** @constant */
            EventResponse: "Object";
            Data: {
                /** Format: uuid */
                Id: string;
                Name: string;
                Entities: string[];
                Events: string[];
            };
        };
        WebhookPayloadWithheld: {
            /** @description Tenant (organization) of the event. */
            TenantId: string;
            /** @enum {string} */
            EventType: "Created" | "Updated" | "Deleted" | "Ping";
            /**
             * Format: uuid
             * @description Unique identifier of the event instance.
             */
            EventId: string;
            /**
             * @description Version of the payload format.
             * @example 1.0
             */
            Version: string;
            /**
             * Format: date-time
             * @description Event time, ISO 8601.
             */
            Timestamp: string;
            /** @enum {string} */
            EventResponse: "Object" | "Array";
        };
        WebhookDeliveryDetail: {
            /** Format: uuid */
            Id: string;
            /** Format: uuid */
            ConnectionId: string;
            /** @enum {string} */
            State: "Pending" | "Retrying" | "Delivered" | "Exhausted" | "Held" | "Cancelled";
            /**
             * Format: int32
             * @description Of all its runs.
             */
            AttemptCount: number;
            /**
             * Format: int32
             * @description The run that it is in; each redelivery begins one.
             */
            Run: number;
            WorkflowId: string;
            /**
             * Format: uri
             * @description The workflow in the Temporal UI.
             */
            WorkflowUrl: string;
            Attempts: components["schemas"]["WebhookAttempt"][];
        };
        WebhookAttempt: {
            /** Format: int32 */
            Number: number;
            /**
             * Format: int32
             * @description 1 for the first three attempts; each redelivery begins the next.
             */
            Run: number;
            /** Format: date-time */
            StartedOn: string;
            /**
             * Format: int32
             * @description Milliseconds.
             */
            DurationMs: number | null;
            /**
             * Format: int32
             * @description null: there was no answer.
             */
            StatusCode: number | null;
            /**
             * @description Why there was no answer, in a word.
             * @example dns
             * @example refused
             * @example tls
             * @example timeout
             * @example blocked-address
             * @example null
             */
            Failure: string | null;
            /** @description null: it may repeat what was sent, which the caller may not see; or what its connection is. */
            Response: {
                /** @description The head of the answer. */
                Headers: string;
                /** @description Its first 4 KiB. */
                Body: string;
            } | null;
        };
        WebhookRedeliver: {
            /** @description To this connection alone. Empty: to all that the change went to. */
            ConnectionId?: string | null;
        };
        WebhookDeadLetters: {
            /** Format: uuid */
            ConnectionId: string;
            ConnectionName: string;
            /**
             * Format: int32
             * @description null: the caller may not read every event.
             */
            Count: number | null;
            /**
             * Format: int32
             * @description It was there, and did not take them.
             */
            Receiver: number | null;
            /**
             * Format: int32
             * @description Somebody has to change the connection, the address or its certificate: dns, tls, blocked-address, a redirect, 401, 403, 404, 405, 407, 410, 413, 415, 421, 426; or the connection is Paused.
             */
            Configuration: number | null;
            /**
             * Format: int32
             * @description Attempts lost with a worker, or what is only just being sent.
             */
            Ours: number | null;
            /** @description The most frequent first. Empty for who may not read every event. */
            Reasons: {
                /** @enum {string} */
                Blame: "Receiver" | "Configuration" | "Ours";
                /** @description The last attempt's status or failure; of what is Held, why its connection is. */
                Reason: string;
                /** @enum {string} */
                State: "Exhausted" | "Held";
                /** Format: int32 */
                Count: number;
                /**
                 * Format: date-time
                 * @description Of a change.
                 */
                Oldest: string;
                /**
                 * Format: date-time
                 * @description Of a change.
                 */
                Newest: string;
            }[];
        };
        WebhookWhy: {
            /** Format: uuid */
            ConnectionId: string;
            ConnectionName: string;
            /**
             * @description The delivery's State, or why there is none. NotConcerned: a ping goes to one connection alone.
             * @enum {string}
             */
            Outcome: "Pending" | "Retrying" | "Delivered" | "Exhausted" | "Held" | "Cancelled" | "NotSubscribed" | "NotYetCreated" | "AlreadyDeleted" | "NotConcerned";
            /** @description In words, for people. */
            Reason: string;
            /** Format: uuid */
            DeliveryId: string | null;
        };
        Redelivery: {
            /** Format: uuid */
            Id: string;
            /** Format: uuid */
            ConnectionId: string;
            /** @enum {string} */
            Kind: "Replay" | "Drain";
            /**
             * Format: date-time
             * @description Of events at this time or later; null: of a Drain.
             */
            From: string | null;
            /**
             * Format: date-time
             * @description Of events before this time; null: of a Drain.
             */
            To: string | null;
            States: ("Delivered" | "Exhausted" | "Cancelled" | "Held")[];
            /**
             * Format: int32
             * @description Deliveries a second, at most.
             */
            Rate: number;
            /** @enum {string} */
            State: "Running" | "Paused" | "Completed" | "Cancelled";
            /** @description Why it sends nothing though it is Running. */
            Reason: string | null;
            /**
             * Format: int32
             * @description How many deliveries there are, as far as is known by now.
             */
            Total: number;
            /**
             * Format: int32
             * @description How many have ended: Delivered, Exhausted, and what was held or cancelled meanwhile.
             */
            Done: number;
            /** Format: int32 */
            Delivered: number;
            /** Format: int32 */
            Exhausted: number;
            /** Format: date-time */
            CreatedOn: string;
            /** Format: date-time */
            EndedOn: string | null;
            WorkflowId: string;
            /**
             * Format: uri
             * @description The workflow in the Temporal UI.
             */
            WorkflowUrl: string;
        };
        RedeliveryCount: {
            /**
             * Format: int32
             * @description null: the caller may not read every event.
             */
            Count: number | null;
        };
        RedeliveryData: {
            /** Format: uuid */
            ConnectionId: string;
            /** @description Of events at this time or later: a date, or a time with its offset. */
            From: string;
            /** @description Of events before this time; null: until now. */
            To?: string | null;
            /**
             * @description Deliveries in these states.
             * @default [
             *       "Exhausted"
             *     ]
             */
            States?: ("Delivered" | "Exhausted" | "Cancelled")[];
            /**
             * Format: int32
             * @description Deliveries a second, at most.
             * @default 20
             */
            Rate?: number;
            /**
             * @description Only count them.
             * @default false
             */
            DryRun?: boolean;
        };
        RedeliveryChange: {
            /** @enum {string} */
            State?: "Running" | "Paused" | "Cancelled";
            /** Format: int32 */
            Rate?: number;
        };
        RedeliveryDelivery: {
            /** Format: uuid */
            EventId: string;
            /** @enum {string} */
            EventType: "Created" | "Updated" | "Deleted" | "Ping";
            EventRecord: string;
            /** @description null: the change is of several records. */
            RecordId: string | null;
            /**
             * Format: date-time
             * @description Of the event.
             */
            Timestamp: string;
            /** Format: uuid */
            DeliveryId: string;
            /** Format: uuid */
            ConnectionId: string;
            /** @description What had become of the delivery when it was sent again. */
            Before: {
                /** @enum {string} */
                State: "Pending" | "Retrying" | "Delivered" | "Exhausted" | "Held" | "Cancelled";
                /**
                 * @description What the last attempt came to: a status, or a word such as timeout. null: delivered, or none.
                 * @example 503
                 * @example null
                 */
                Reason: string | null;
                /**
                 * Format: date-time
                 * @description When it came to that state.
                 */
                On: string;
            };
            /** @description What it came to by this redelivery, whatever became of it later. */
            After: {
                /** @enum {string} */
                State: "Pending" | "Retrying" | "Delivered" | "Exhausted" | "Held" | "Cancelled";
                /**
                 * @description What the last attempt came to: a status, or a word such as timeout. null: delivered, or none.
                 * @example 503
                 * @example null
                 */
                Reason: string | null;
                /**
                 * Format: date-time
                 * @description When it came to that state.
                 */
                On: string;
            };
        };
        /** @description An identity provider; its secret is never read back. */
        IdentityProvider: {
            Id: string;
            /** @description Unique; stands on the sign-in page. */
            Name: string;
            /**
             * @description External system code; unique in the system.
             * @default
             */
            ExternalId: string;
            /**
             * @description The protocol.
             * @enum {string}
             */
            Type: "OpenIDConnect" | "OAuth2";
            /**
             * @description OpenIDConnect: https, as the provider's metadata spells it. With another, ClientSecret has to be sent again.
             * @default
             */
            Issuer: string;
            /**
             * @description OAuth2: where users sign in.
             * @default
             */
            AuthorizationEndpoint: string;
            /**
             * @description OAuth2: where codes are exchanged. With another, ClientSecret has to be sent again.
             * @default
             */
            TokenEndpoint: string;
            /**
             * @description OAuth2: where claims about the user are read.
             * @default
             */
            UserinfoEndpoint: string;
            /** @description What Gatehouse is called there. */
            ClientId: string;
            /**
             * @description How the ClientSecret is sent. Empty: as the metadata says, or else client_secret_basic. private_key_jwt: by a key of ours, which JwksUri publishes, in place of a secret.
             * @enum {string}
             */
            TokenEndpointAuthMethod: "" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
            /** @description What is asked for there; with OpenIDConnect openid is among them. */
            Scopes: string[];
            /** @description What goes into authorization requests beside the protocol's own parameters, such as hd, domain_hint or audience: at most 20, each value a string of 1 to 1000 characters. Of response_mode, query and form_post can be set; of prompt, all but none. */
            AuthorizationParameters: {
                [key: string]: string;
            };
            /** @description Which claim gives a User's field. Subject (with OAuth2 alone; default sub) is who the user is there; EmailVerified says by true that Email is the user's own, and without that Email is not taken. */
            Mapping: {
                Subject?: string;
                Name?: string;
                Username?: string;
                Email?: string;
                EmailVerified?: string;
                MobilePhone?: string;
                External_Id?: string;
                GivenName?: string;
                FamilyName?: string;
                Locale?: string;
                ZoneInfo?: string;
                Picture?: string;
            };
            /**
             * @description Whether an unknown user gets a User, or can only be linked to one that is there. Default LinkOnly. Where anybody can have an account, Create needs AllowedDomains or AllowedTenants.
             * @enum {string}
             */
            Provisioning: "Create" | "LinkOnly";
            /** @description With Provisioning Create, only people with a verified Email at one of these domains get a User. */
            AllowedDomains: string[];
            /** @description With Provisioning Create, only who is of one of these organisations there (the claim hd or tid) gets a User. */
            AllowedTenants: string[];
            /** @description With Provisioning Create, only people with a verified Email get a User. */
            RequireVerifiedEmail: boolean;
            /** @description Users of an Application that points here may also sign in by password. */
            AllowLocal: boolean;
            /** @description OpenIDConnect: whoever signed in there and signs out here is sent to the provider's end_session_endpoint, and then on to the application. */
            SignOut: boolean;
            /**
             * @description Users can sign in by it; a new one is off.
             * @default false
             */
            Is_Active: boolean;
            /** @description What the provider has to have registered for ClientId. */
            RedirectUri: string;
            /** @description With SignOut, what the provider has to have registered for it. */
            PostLogoutRedirectUri: string;
            /** @description With private_key_jwt, where the provider reads our key. */
            JwksUri: string;
        };
        /** @description Absent fields are left alone. */
        IdentityProviderData: {
            /** @description Empty: it is found by its Name or ExternalId, or is new. */
            Id?: string | null;
            /** @description Unique; stands on the sign-in page. */
            Name?: string;
            /** @description External system code; unique in the system. */
            ExternalId?: string | null;
            /**
             * @description The protocol.
             * @enum {string}
             */
            Type?: "OpenIDConnect" | "OAuth2";
            /** @description OpenIDConnect: https, as the provider's metadata spells it. With another, ClientSecret has to be sent again. */
            Issuer?: string | null;
            /** @description OAuth2: where users sign in. */
            AuthorizationEndpoint?: string | null;
            /** @description OAuth2: where codes are exchanged. With another, ClientSecret has to be sent again. */
            TokenEndpoint?: string | null;
            /** @description OAuth2: where claims about the user are read. */
            UserinfoEndpoint?: string | null;
            /** @description What Gatehouse is called there. */
            ClientId?: string;
            /**
             * @description How the ClientSecret is sent. Empty: as the metadata says, or else client_secret_basic. private_key_jwt: by a key of ours, which JwksUri publishes, in place of a secret.
             * @enum {string}
             */
            TokenEndpointAuthMethod?: "" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
            /** @description What is asked for there; with OpenIDConnect openid is among them. */
            Scopes?: string[];
            /** @description What goes into authorization requests beside the protocol's own parameters, such as hd, domain_hint or audience: at most 20, each value a string of 1 to 1000 characters. Of response_mode, query and form_post can be set; of prompt, all but none. */
            AuthorizationParameters?: {
                [key: string]: string;
            };
            /** @description Which claim gives a User's field. Subject (with OAuth2 alone; default sub) is who the user is there; EmailVerified says by true that Email is the user's own, and without that Email is not taken. */
            Mapping?: {
                Subject?: string;
                Name?: string;
                Username?: string;
                Email?: string;
                EmailVerified?: string;
                MobilePhone?: string;
                External_Id?: string;
                GivenName?: string;
                FamilyName?: string;
                Locale?: string;
                ZoneInfo?: string;
                Picture?: string;
            };
            /**
             * @description Whether an unknown user gets a User, or can only be linked to one that is there. Default LinkOnly. Where anybody can have an account, Create needs AllowedDomains or AllowedTenants.
             * @enum {string}
             */
            Provisioning?: "Create" | "LinkOnly";
            /** @description With Provisioning Create, only people with a verified Email at one of these domains get a User. */
            AllowedDomains?: string[];
            /** @description With Provisioning Create, only who is of one of these organisations there (the claim hd or tid) gets a User. */
            AllowedTenants?: string[];
            /** @description With Provisioning Create, only people with a verified Email get a User. */
            RequireVerifiedEmail?: boolean;
            /** @description Users of an Application that points here may also sign in by password. */
            AllowLocal?: boolean;
            /** @description OpenIDConnect: whoever signed in there and signs out here is sent to the provider's end_session_endpoint, and then on to the application. */
            SignOut?: boolean;
            /**
             * @description Users can sign in by it; a new one is off.
             * @default false
             */
            Is_Active?: boolean;
            /** @description Empty: a public client, by PKCE alone. */
            ClientSecret?: string | null;
            /** @description What the provider has to have registered for ClientId. */
            readonly RedirectUri?: string | null;
            /** @description With SignOut, what the provider has to have registered for it. */
            readonly PostLogoutRedirectUri?: string | null;
            /** @description With private_key_jwt, where the provider reads our key. */
            readonly JwksUri?: string | null;
        };
        IdentityProviderTest: {
            /** @description No check has failed. */
            Works: boolean;
            /** @description In the order they were made; what depends on one that has failed is left out. */
            Checks: {
                /** @enum {string} */
                Name: "Metadata" | "Keys" | "Client" | "Userinfo" | "SignOut";
                /**
                 * @description Unknown: the answer says neither.
                 * @enum {string}
                 */
                Outcome: "Passed" | "Failed" | "Unknown";
                /** @description What was found, in words. */
                Message: string;
            }[];
        };
        /** @description An API of the tenant's own, which takes access tokens made for it. */
        Api: {
            /** Format: uuid */
            Id: string;
            /** @description Unique in the system. */
            Name: string;
            /**
             * Format: uri
             * @description The `aud` of its tokens, and the `resource` that they are asked for with (RFC 8707): an absolute URI. `resource` may be written as any equal address (RFC 3986 6.2), `aud` is as it stands here. Unique in the installation, because all its tokens have one issuer.
             */
            Audience: string;
            /** @description All of them; those that a body leaves out are taken from clients, roles and consents too. No name may be one of this service's scopes, or of another Api's. */
            Scopes: {
                /** @description As clients ask for it. */
                Name: string;
                /** @description What users are told that it allows. */
                Description: string;
            }[];
            /**
             * @description What tokens for it are signed by. Every library verifies RS256; not every one the shorter others.
             * @default RS256
             * @enum {string}
             */
            AccessTokenAlg: "RS256" | "ES256" | "EdDSA";
            /**
             * @description The `typ` of tokens for it: RFC 9068's, or `JWT` for libraries that refuse that.
             * @default at+jwt
             * @enum {string}
             */
            AccessTokenType: "at+jwt" | "JWT";
            /**
             * Format: int32
             * @description How long a token for it can be used at most; a client's AccessTokenLifetime may be shorter.
             */
            TokenLifetime: number | null;
            /**
             * @description Tokens for it that are a user's carry the claims of the scopes profile, name, email and phone, if granted.
             * @default false
             */
            IncludeClaims: boolean;
            /** @description Claims that stand beside the standard ones in tokens for it. A field that is empty gives none. */
            ClaimMapping: {
                /** @description Its name in the token; none that a standard needs. */
                Claim: string;
                /**
                 * @description Roles: the names of the caller's roles. Constant: Value. Attribute: the User's, of the name Value. Else a field.
                 * @enum {string}
                 */
                From: "Roles" | "Name" | "GivenName" | "FamilyName" | "Username" | "Email" | "MobilePhone" | "External_Id" | "Department" | "Attribute" | "Constant";
                /** @description Of a Constant, and of an Attribute. */
                Value?: string;
            }[];
            /** @description The Application by whose client the API introspects tokens for it. Empty: it does not. */
            ApplicationId: string;
            /**
             * Format: date-time
             * @description Update date.
             */
            ModifiedOn: string;
            /** @description Who updated the record. */
            ModifiedBy: components["schemas"]["AbstractLong"];
            /** @description Who created the record. */
            CreatedBy: components["schemas"]["AbstractLong"];
            /**
             * Format: date-time
             * @description Creation date.
             */
            CreatedOn: string;
        };
        /** @description Absent fields are left alone. */
        ApiData: {
            /** @description Empty: it is found by its Name, or is new. */
            Id?: string | null;
            /** @description Unique in the system. */
            Name?: string;
            /**
             * Format: uri
             * @description The `aud` of its tokens, and the `resource` that they are asked for with (RFC 8707): an absolute URI. `resource` may be written as any equal address (RFC 3986 6.2), `aud` is as it stands here. Unique in the installation, because all its tokens have one issuer.
             */
            Audience?: string;
            /** @description All of them; those that a body leaves out are taken from clients, roles and consents too. No name may be one of this service's scopes, or of another Api's. */
            Scopes?: {
                /** @description As clients ask for it. */
                Name: string;
                /** @description What users are told that it allows. */
                Description: string;
            }[] | null;
            /**
             * @description What tokens for it are signed by. Every library verifies RS256; not every one the shorter others.
             * @default RS256
             * @enum {string}
             */
            AccessTokenAlg?: "RS256" | "ES256" | "EdDSA";
            /**
             * @description The `typ` of tokens for it: RFC 9068's, or `JWT` for libraries that refuse that.
             * @default at+jwt
             * @enum {string}
             */
            AccessTokenType?: "at+jwt" | "JWT";
            /**
             * Format: int32
             * @description How long a token for it can be used at most; a client's AccessTokenLifetime may be shorter.
             */
            TokenLifetime?: number | null;
            /**
             * @description Tokens for it that are a user's carry the claims of the scopes profile, name, email and phone, if granted.
             * @default false
             */
            IncludeClaims?: boolean;
            /** @description Claims that stand beside the standard ones in tokens for it. A field that is empty gives none. */
            ClaimMapping?: {
                /** @description Its name in the token; none that a standard needs. */
                Claim: string;
                /**
                 * @description Roles: the names of the caller's roles. Constant: Value. Attribute: the User's, of the name Value. Else a field.
                 * @enum {string}
                 */
                From: "Roles" | "Name" | "GivenName" | "FamilyName" | "Username" | "Email" | "MobilePhone" | "External_Id" | "Department" | "Attribute" | "Constant";
                /** @description Of a Constant, and of an Attribute. */
                Value?: string;
            }[] | null;
            /** @description The Application by whose client the API introspects tokens for it. Empty: it does not. */
            ApplicationId?: string;
            /**
             * Format: date-time
             * @description Update date.
             */
            readonly ModifiedOn?: string;
            /** @description Who updated the record. */
            readonly ModifiedBy?: components["schemas"]["AbstractLong"];
            /** @description Who created the record. */
            readonly CreatedBy?: components["schemas"]["AbstractLong"];
            /**
             * Format: date-time
             * @description Creation date.
             */
            readonly CreatedOn?: string;
        };
        /** @description A Cedar policy. */
        Policy: {
            /** Format: uuid */
            Id: string;
            /** @description Unique in the system. */
            Name: string;
            /**
             * @description For people.
             * @default
             */
            Description: string;
            /** @description Its Cedar text. What names a wrong attribute or can never apply is refused with line and column. */
            Policy: string;
            /**
             * Format: date-time
             * @description Update date.
             */
            ModifiedOn: string;
            /** @description Who updated the record. */
            ModifiedBy: components["schemas"]["AbstractLong"];
            /** @description Who created the record. */
            CreatedBy: components["schemas"]["AbstractLong"];
            /**
             * Format: date-time
             * @description Creation date.
             */
            CreatedOn: string;
        };
        /** @description Absent fields are left alone. */
        PolicyData: {
            /** @description Empty: it is found by its Name, or is new. */
            Id?: string | null;
            /** @description Unique in the system. */
            Name?: string;
            /**
             * @description For people.
             * @default
             */
            Description?: string | null;
            /** @description Its Cedar text. What names a wrong attribute or can never apply is refused with line and column. */
            Policy?: string;
            /**
             * Format: date-time
             * @description Update date.
             */
            readonly ModifiedOn?: string;
            /** @description Who updated the record. */
            readonly ModifiedBy?: components["schemas"]["AbstractLong"];
            /** @description Who created the record. */
            readonly CreatedBy?: components["schemas"]["AbstractLong"];
            /**
             * Format: date-time
             * @description Creation date.
             */
            readonly CreatedOn?: string;
        };
        PolicyVersion: {
            /**
             * Format: int32
             * @description From 1, of the policy's own.
             */
            Number: number;
            /** @description Its Cedar text. */
            Policy: string;
            /** Format: date-time */
            SavedOn: string;
            /** @description null: it was there from the start. */
            SavedBy: components["schemas"]["AbstractLong"] | null;
        };
        PolicyProblems: {
            Problems: {
                Message: string;
                /**
                 * Format: int32
                 * @description From 1; null: the text as a whole.
                 */
                Line: number | null;
                /**
                 * Format: int32
                 * @description In characters, from 1.
                 */
                Column: number | null;
            }[];
        };
        PolicyText: {
            /** @description Its Cedar text. What names a wrong attribute or can never apply is refused with line and column. */
            Policy: string;
        };
        PolicyEvaluation: {
            /** @enum {string} */
            Decision: "Allow" | "Deny";
            /** @description Names of the policies that permit it or, where it is forbidden, forbid it; empty: none permits it. */
            DecidedBy: string[];
            /** @description What else keeps the call from being allowed, or a policy from deciding. */
            Problems: {
                /** @description The name of the policy that could not be evaluated; null: none. */
                Policy: string | null;
                Message: string;
            }[];
        };
        /** @description Would this principal be allowed this? */
        PolicyQuestion: {
            /** @description Of the policy that the text would take the place of. */
            Id?: string | null;
            /** @description What the policy with the text would be called. */
            Name?: string;
            /** @description A text that is not saved. Left out: the policies as they are. */
            Policy?: string;
            Principal: components["schemas"]["PolicyPrincipal"];
            /** @enum {string} */
            Action: "AccessManager:Read" | "AccessManager:Create" | "AccessManager:Update" | "AccessManager:Delete" | "Settings:Read" | "Settings:Update" | "Webhooks:Read" | "Webhooks:Create" | "Webhooks:Update" | "Webhooks:Delete" | "Tokens:Exchange";
            Resource: components["schemas"]["PolicyResource"];
            Context?: components["schemas"]["PolicyContext"];
        };
        /** @description Who would call. */
        PolicyPrincipal: {
            /**
             * @description As policies write it; a Client is an Application.
             * @enum {string}
             */
            Type: "Client" | "User";
            Id: number | string;
        };
        /** @description The record. Needs Id, Fields, or both. */
        PolicyResource: {
            /** @description Such as Application. */
            Type: string;
            Id?: number | string;
            /** @description What a change would set, which policies see in `resource.after`; without Id all of the record. */
            Fields?: {
                [key: string]: unknown;
            };
        };
        /** @description The call. What is left out is as in this one. */
        PolicyContext: {
            /** @description Of the access token; left out: all that the principal can have. */
            Scopes?: ("openid" | "profile" | "name" | "email" | "address" | "phone" | "AccessManager:Read" | "AccessManager:Create" | "AccessManager:Update" | "AccessManager:Delete" | "Settings:Read" | "Settings:Update" | "Webhooks:Read" | "Webhooks:Create" | "Webhooks:Update" | "Webhooks:Delete")[];
            /** @description null: not known. */
            Address?: string | null;
            /** Format: date-time */
            Time?: string;
            /** @description Of Tokens:Exchange: the aud of the token that is asked for. */
            Audience?: string;
            /** @description Whether the record is read in the payload of an event. */
            Payload?: boolean;
        };
        /** @description A group that policies name. */
        Role: {
            /** Format: uuid */
            Id: string;
            /** @description Unique in the system. */
            Name: string;
            /**
             * @description For people.
             * @default
             */
            Description: string;
            /** @description What its users may be given in a token: scopes of this service, and of APIs. */
            Scopes: ("openid" | "profile" | "name" | "email" | "address" | "phone" | "AccessManager:Read" | "AccessManager:Create" | "AccessManager:Update" | "AccessManager:Delete" | "Settings:Read" | "Settings:Update" | "Webhooks:Read" | "Webhooks:Create" | "Webhooks:Update" | "Webhooks:Delete" | string)[];
            /** @description Each is {"Type": "User" or "Application", "Id": its number}. All of them: those that a body leaves out are no longer members. */
            Members: {
                /** @enum {string} */
                Type: "User" | "Application";
                /**
                 * Format: int64
                 * @description In a body also as text.
                 */
                Id: number;
            }[];
            /**
             * Format: date-time
             * @description Update date.
             */
            ModifiedOn: string;
            /** @description Who updated the record. */
            ModifiedBy: components["schemas"]["AbstractLong"];
            /** @description Who created the record. */
            CreatedBy: components["schemas"]["AbstractLong"];
            /**
             * Format: date-time
             * @description Creation date.
             */
            CreatedOn: string;
        };
        /** @description Absent fields are left alone. */
        RoleData: {
            /** @description Empty: it is found by its Name, or is new. */
            Id?: string | null;
            /** @description Unique in the system. */
            Name?: string;
            /**
             * @description For people.
             * @default
             */
            Description?: string | null;
            /** @description What its users may be given in a token: scopes of this service, and of APIs. */
            Scopes?: ("openid" | "profile" | "name" | "email" | "address" | "phone" | "AccessManager:Read" | "AccessManager:Create" | "AccessManager:Update" | "AccessManager:Delete" | "Settings:Read" | "Settings:Update" | "Webhooks:Read" | "Webhooks:Create" | "Webhooks:Update" | "Webhooks:Delete" | string)[] | null;
            /** @description Each is {"Type": "User" or "Application", "Id": its number}. All of them: those that a body leaves out are no longer members. */
            Members?: {
                /** @enum {string} */
                Type: "User" | "Application";
                /**
                 * Format: int64
                 * @description In a body also as text.
                 */
                Id: number;
            }[] | null;
            /**
             * Format: date-time
             * @description Update date.
             */
            readonly ModifiedOn?: string;
            /** @description Who updated the record. */
            readonly ModifiedBy?: components["schemas"]["AbstractLong"];
            /** @description Who created the record. */
            readonly CreatedBy?: components["schemas"]["AbstractLong"];
            /**
             * Format: date-time
             * @description Creation date.
             */
            readonly CreatedOn?: string;
        };
        Alert: {
            /** Format: uuid */
            Id: string;
            /** @enum {string} */
            Kind: "ConnectionHeld" | "ErrorRate" | "Backlog" | "FailedSignIns" | "FailedLogouts";
            /**
             * Format: uuid
             * @description null: it is of no connection.
             */
            ConnectionId: string | null;
            /**
             * @description Acknowledged: somebody has seen it, and its time is not over.
             * @enum {string}
             */
            State: "Open" | "Acknowledged" | "Ended";
            /** @description For people, as it was when it was raised; null: it counts what the caller may not read. */
            Reason: string | null;
            /** Format: date-time */
            RaisedOn: string;
            /** Format: date-time */
            EndedOn: string | null;
            AcknowledgedBy: {
                /** @enum {string} */
                Type: "User" | "Application";
                Id: string;
            } | null;
            /** Format: date-time */
            AcknowledgedOn: string | null;
            /**
             * Format: date-time
             * @description null: until it ends.
             */
            AcknowledgedUntil: string | null;
        };
        AlertAcknowledgement: {
            /** @description When it is told again if it has not ended; null: never. */
            Until?: string | null;
        };
        AuditEvent: {
            /** Format: uuid */
            Id: string;
            /** Format: date-time */
            OccurredOn: string;
            /** @enum {string} */
            Kind: "SignIn.Succeeded" | "SignIn.Failed" | "SignIn.Throttled" | "Failures.Omitted" | "SignOut" | "Session.Revoked" | "SecondFactor.Enrolled" | "SecondFactor.Removed" | "SecondFactor.Failed" | "Password.Changed" | "Password.Reset" | "PasswordReset.Created" | "RecoveryCodes.Replaced" | "Identity.Linked" | "Identity.Unlinked" | "Identity.LinkFailed" | "Consent.Given" | "Grant.Revoked" | "AuthorizationCode.Reused" | "Device.Allowed" | "Device.Denied" | "DeviceCode.Reused" | "RefreshToken.Reused" | "Token.Revoked" | "Token.Exchanged" | "ClientAuthentication.Failed" | "Client.Registered" | "RegistrationToken.Created" | "RegistrationToken.Deleted" | "RegistrationAccessToken.Created" | "RegistrationAccessToken.Deleted" | "Credentials.Changed" | "Credentials.Deleted" | "Secret.Created" | "Secret.Deleted" | "Logout.Redelivered" | "Access.Recovered" | "TenantSettings.Changed" | "Record.Created" | "Record.Changed" | "Record.Deleted" | "Policy.Created" | "Policy.Changed" | "Policy.Deleted" | "Role.Created" | "Role.Changed" | "Role.Deleted" | "IdentityProvider.Created" | "IdentityProvider.Changed" | "IdentityProvider.Deleted" | "WebhookConnection.Created" | "WebhookConnection.Changed" | "WebhookConnection.Deleted" | "WebhookEvent.Redelivered" | "WebhookConnection.Pinged" | "WebhookConnection.SecretStaged" | "WebhookConnection.SecretChanged" | "WebhookConnection.RotationEnded" | "Alert.Acknowledged" | "Redelivery.Created" | "Redelivery.Changed";
            /** @enum {string} */
            Outcome: "Success" | "Failure";
            /** @description Who did it; null: nobody who has proved their identity. */
            Actor: {
                /** @enum {string} */
                Type: "User" | "Application";
                Id: string;
            } | null;
            /** @description The Application it was done by or for. */
            ClientId: string | null;
            /** @description Where the request came from. */
            Address: string;
            /** @description The head of what the caller calls itself. */
            UserAgent: string;
            /** @description What it was done to; null: no record, such as an unknown user. */
            Subject: {
                /** @enum {string} */
                Type: "Application" | "User" | "Department" | "IdentityProvider" | "Api" | "Policy" | "Role" | "WebhookConnection" | "WebhookEvent" | "Redelivery";
                Id: string;
            } | null;
            /** @description What there is to say beside it. Of a change, Changed names the fields; values stand there only of fields that hold neither secrets nor personal data. */
            Details: Record<string, never>;
            /** @description The request's key; the log has it too. */
            RequestKey: string;
        };
        Request: {
            /** Format: uuid */
            Id: string;
            /**
             * Format: date-time
             * @description When it came.
             */
            OccurredOn: string;
            Method: string;
            /** @description What it was sent to, as the log has it: without the values of its path. */
            Route: string;
            Status: number;
            /** @description Milliseconds to the answer. */
            DurationMs: number;
            /** @description The Application it came from. */
            ClientId: string;
            /** @description As its X-Request-Id and its error record have it. */
            RequestKey: string;
            /** @description Requests of the tenant before it that are left out here. */
            Omitted: number;
        };
        /** @description What makes an Application an OAuth client. */
        Credentials: {
            /**
             * @description Where users may be sent back to; compared as they are written. https, or http on 127.0.0.1, [::1] or localhost: of a native client with any port, of others for development.
             * @default []
             */
            RedirectUris: string[];
            /**
             * @description Where users may be sent after they have signed out.
             * @default []
             */
            PostLogoutRedirectUris: string[];
            /**
             * @description Where a logout token is posted to when a session ends in which a user has signed in to it (OpenID Connect Back-Channel Logout 1.0). It must be https, and public unless EGRESS_ALLOW names it. Empty: it is told nothing.
             * @default
             */
            BackchannelLogoutUri: string;
            /**
             * @description The grants it may use at the token endpoint. The default of public and native clients, and what they come to have if nobody chose others, is without client_credentials. No client has the device grant (RFC 8628) or token exchange (RFC 8693) by default.
             * @default [
             *       "authorization_code",
             *       "client_credentials",
             *       "refresh_token"
             *     ]
             */
            GrantTypes: ("authorization_code" | "client_credentials" | "refresh_token" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange")[];
            /**
             * @description What its authorization requests may ask for; others are refused.
             * @default [
             *       "code",
             *       "code id_token"
             *     ]
             */
            ResponseTypes: ("code" | "code id_token")[];
            /**
             * @description What it may ask for: scopes of this service, and of APIs.
             * @default [
             *       "openid",
             *       "profile",
             *       "name"
             *     ]
             */
            Scopes: ("openid" | "profile" | "name" | "email" | "address" | "phone" | "AccessManager:Read" | "AccessManager:Create" | "AccessManager:Update" | "AccessManager:Delete" | "Settings:Read" | "Settings:Update" | "Webhooks:Read" | "Webhooks:Create" | "Webhooks:Update" | "Webhooks:Delete" | string)[];
            /**
             * @description RFC 6749 2.1 and RFC 8252: public and native clients have no secret and no client_credentials.
             * @default confidential
             * @enum {string}
             */
            ClientType: "confidential" | "public" | "native";
            /**
             * @description The one way in which it proves who it is; every other is refused. Empty: a confidential client by a secret in the form or the Basic header, others by their client_id alone.
             * @enum {string}
             */
            TokenEndpointAuthMethod: "" | "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "tls_client_auth" | "none";
            /** @description Its public keys (RFC 7517 5), which its client assertions are verified by. Members that a public key does not need are not kept. null: it has none here. */
            Jwks: {
                keys: {
                    /** @description RSA, EC (P-256) or OKP (Ed25519). */
                    kty: string;
                    /** @description Told from the other keys by it. */
                    kid?: string;
                    /** @description sig, or left out. */
                    use?: string;
                    /** @description RS256, PS256, ES256, EdDSA, Ed25519, or left out. */
                    alg?: string;
                    crv?: string;
                    x?: string;
                    y?: string;
                    n?: string;
                    e?: string;
                }[];
            } | null;
            /**
             * @description Where it publishes its keys, https; in place of Jwks. They are read again after 5 minutes, and for a key that is not known, at most every 30 seconds.
             * @default
             */
            JwksUri: string;
            /**
             * @description Which name in the certificate of tls_client_auth is the client's (RFC 8705 2.1.2).
             * @default SubjectDn
             * @enum {string}
             */
            TlsClientAuthName: "SubjectDn" | "SanDns" | "SanUri" | "SanIp" | "SanEmail";
            /**
             * @description That name. A distinguished name as RFC 4514 writes it: `openssl x509 -noout -subject -nameopt RFC2253` prints it.
             * @default
             */
            TlsClientAuthValue: string;
            /**
             * @description What its access tokens for the API of this service are signed by. That API alone verifies them; RS256 costs it ten times as much. Tokens for an Api are signed as the Api says.
             * @default ES256
             * @enum {string}
             */
            AccessTokenAlg: "RS256" | "ES256" | "EdDSA";
            /**
             * @description The `typ` of its access tokens: RFC 9068's, or `JWT` for libraries that refuse that.
             * @default at+jwt
             * @enum {string}
             */
            AccessTokenType: "at+jwt" | "JWT";
            /**
             * Format: int32
             * @description How long an access token of its can be used. null: `TOKEN_LIFETIME`.
             */
            AccessTokenLifetime: number | null;
            /**
             * Format: int32
             * @description How long after the grant a refresh token can be used, however often it is refreshed. null: 90 days. A client's own is good for 30 days at most.
             */
            RefreshTokenLifetime: number | null;
            /**
             * @default RS256
             * @enum {string}
             */
            IdTokenAlg: "RS256" | "ES256" | "EdDSA";
            /**
             * @description What its userinfo answers are signed by, as JWTs with iss and aud (OpenID Connect Core 5.3.2). Empty: they are plain JSON.
             * @default
             * @enum {string}
             */
            UserinfoAlg: "" | "RS256" | "ES256" | "EdDSA";
            /**
             * @description What introspection answers are signed by that it asks for as JWTs (RFC 9701), by Accept: application/token-introspection+jwt. Empty: as its id_tokens.
             * @default
             * @enum {string}
             */
            IntrospectionAlg: "" | "RS256" | "ES256" | "EdDSA";
            /**
             * @description The claims of the scopes profile, name, email and phone stand in the id_token too, not in userinfo alone.
             * @default false
             */
            IdTokenClaims: boolean;
            /** @description Claims that stand beside the standard ones in id_tokens, userinfo, and access tokens for the API of this service. A field that is empty gives none. */
            ClaimMapping: {
                /** @description Its name in the token; none that a standard needs. */
                Claim: string;
                /**
                 * @description Roles: the names of the caller's roles. Constant: Value. Attribute: the User's, of the name Value. Else a field.
                 * @enum {string}
                 */
                From: "Roles" | "Name" | "GivenName" | "FamilyName" | "Username" | "Email" | "MobilePhone" | "External_Id" | "Department" | "Attribute" | "Constant";
                /** @description Of a Constant, and of an Attribute. */
                Value?: string;
            }[];
            /**
             * @description What the `sub` of its users is (OpenID Connect Core 8): the same as for other clients, or one that only clients of its sector share.
             * @default public
             * @enum {string}
             */
            SubjectType: "public" | "pairwise";
            /**
             * @description Of a pairwise client: an https address whose JSON list has all of its RedirectUris (OpenID Connect Core 8.1); its host is the sector. Empty: the one host of its RedirectUris.
             * @default
             */
            SectorIdentifierUri: string;
            /**
             * @description An https address of its logo: PNG, JPEG or WebP, at most 512 KiB. The consent page shows it.
             * @default
             */
            LogoUri: string;
            /**
             * @description Where its privacy policy is; the consent page links to it.
             * @default
             */
            PolicyUri: string;
            /**
             * @description Where its terms of service are; the consent page links to them.
             * @default
             */
            TosUri: string;
            /**
             * @description Its authorization requests are taken by `request_uri` alone, pushed beforehand (RFC 9126).
             * @default false
             */
            RequirePar: boolean;
            /**
             * @description Its authorization requests are taken as a signed `request` alone, pushed or not (RFC 9101).
             * @default false
             */
            RequireSignedRequestObject: boolean;
            /**
             * @description It is given tokens at /oauth2/token alone, and only such as are bound to a key that it proves by DPoP (RFC 9449).
             * @default false
             */
            DpopBound: boolean;
            /**
             * @description FAPI2: the FAPI 2.0 Security Profile. It needs RequirePar, DpopBound, private_key_jwt or tls_client_auth, and ES256 or EdDSA; then PKCE is demanded, codes live for 60 s, and RS256, hybrid answers and other audiences of an assertion are refused.
             * @default None
             * @enum {string}
             */
            SecurityProfile: "None" | "FAPI2";
            /**
             * @description Users are not asked for their consent.
             * @default false
             */
            FirstParty: boolean;
        };
        /** @description Absent fields are left alone. */
        CredentialsData: {
            /**
             * @description Where users may be sent back to; compared as they are written. https, or http on 127.0.0.1, [::1] or localhost: of a native client with any port, of others for development.
             * @default []
             */
            RedirectUris?: string[] | null;
            /**
             * @description Where users may be sent after they have signed out.
             * @default []
             */
            PostLogoutRedirectUris?: string[] | null;
            /** @description Where a logout token is posted to when a session ends in which a user has signed in to it (OpenID Connect Back-Channel Logout 1.0). It must be https, and public unless EGRESS_ALLOW names it. Empty: it is told nothing. */
            BackchannelLogoutUri?: string | null;
            /**
             * @description The grants it may use at the token endpoint. The default of public and native clients, and what they come to have if nobody chose others, is without client_credentials. No client has the device grant (RFC 8628) or token exchange (RFC 8693) by default.
             * @default [
             *       "authorization_code",
             *       "client_credentials",
             *       "refresh_token"
             *     ]
             */
            GrantTypes?: ("authorization_code" | "client_credentials" | "refresh_token" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange")[] | null;
            /**
             * @description What its authorization requests may ask for; others are refused.
             * @default [
             *       "code",
             *       "code id_token"
             *     ]
             */
            ResponseTypes?: ("code" | "code id_token")[] | null;
            /**
             * @description What it may ask for: scopes of this service, and of APIs.
             * @default [
             *       "openid",
             *       "profile",
             *       "name"
             *     ]
             */
            Scopes?: ("openid" | "profile" | "name" | "email" | "address" | "phone" | "AccessManager:Read" | "AccessManager:Create" | "AccessManager:Update" | "AccessManager:Delete" | "Settings:Read" | "Settings:Update" | "Webhooks:Read" | "Webhooks:Create" | "Webhooks:Update" | "Webhooks:Delete" | string)[] | null;
            /**
             * @description RFC 6749 2.1 and RFC 8252: public and native clients have no secret and no client_credentials.
             * @default confidential
             * @enum {string|null}
             */
            ClientType?: "confidential" | "public" | "native" | null;
            /**
             * @description The one way in which it proves who it is; every other is refused. Empty: a confidential client by a secret in the form or the Basic header, others by their client_id alone.
             * @enum {string}
             */
            TokenEndpointAuthMethod?: "" | "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "tls_client_auth" | "none";
            /** @description Its public keys (RFC 7517 5), which its client assertions are verified by. Members that a public key does not need are not kept. null: it has none here. */
            Jwks?: {
                keys: {
                    /** @description RSA, EC (P-256) or OKP (Ed25519). */
                    kty: string;
                    /** @description Told from the other keys by it. */
                    kid?: string;
                    /** @description sig, or left out. */
                    use?: string;
                    /** @description RS256, PS256, ES256, EdDSA, Ed25519, or left out. */
                    alg?: string;
                    crv?: string;
                    x?: string;
                    y?: string;
                    n?: string;
                    e?: string;
                }[];
            } | null;
            /** @description Where it publishes its keys, https; in place of Jwks. They are read again after 5 minutes, and for a key that is not known, at most every 30 seconds. */
            JwksUri?: string | null;
            /**
             * @description Which name in the certificate of tls_client_auth is the client's (RFC 8705 2.1.2).
             * @default SubjectDn
             * @enum {string|null}
             */
            TlsClientAuthName?: "SubjectDn" | "SanDns" | "SanUri" | "SanIp" | "SanEmail" | null;
            /** @description That name. A distinguished name as RFC 4514 writes it: `openssl x509 -noout -subject -nameopt RFC2253` prints it. */
            TlsClientAuthValue?: string | null;
            /**
             * @description What its access tokens for the API of this service are signed by. That API alone verifies them; RS256 costs it ten times as much. Tokens for an Api are signed as the Api says.
             * @default ES256
             * @enum {string|null}
             */
            AccessTokenAlg?: "RS256" | "ES256" | "EdDSA" | null;
            /**
             * @description The `typ` of its access tokens: RFC 9068's, or `JWT` for libraries that refuse that.
             * @default at+jwt
             * @enum {string|null}
             */
            AccessTokenType?: "at+jwt" | "JWT" | null;
            /**
             * Format: int32
             * @description How long an access token of its can be used. null: `TOKEN_LIFETIME`.
             */
            AccessTokenLifetime?: number | null;
            /**
             * Format: int32
             * @description How long after the grant a refresh token can be used, however often it is refreshed. null: 90 days. A client's own is good for 30 days at most.
             */
            RefreshTokenLifetime?: number | null;
            /**
             * @default RS256
             * @enum {string|null}
             */
            IdTokenAlg?: "RS256" | "ES256" | "EdDSA" | null;
            /**
             * @description What its userinfo answers are signed by, as JWTs with iss and aud (OpenID Connect Core 5.3.2). Empty: they are plain JSON.
             * @default
             * @enum {string|null}
             */
            UserinfoAlg?: "" | "RS256" | "ES256" | "EdDSA" | null;
            /**
             * @description What introspection answers are signed by that it asks for as JWTs (RFC 9701), by Accept: application/token-introspection+jwt. Empty: as its id_tokens.
             * @default
             * @enum {string|null}
             */
            IntrospectionAlg?: "" | "RS256" | "ES256" | "EdDSA" | null;
            /**
             * @description The claims of the scopes profile, name, email and phone stand in the id_token too, not in userinfo alone.
             * @default false
             */
            IdTokenClaims?: boolean | null;
            /** @description Claims that stand beside the standard ones in id_tokens, userinfo, and access tokens for the API of this service. A field that is empty gives none. */
            ClaimMapping?: {
                /** @description Its name in the token; none that a standard needs. */
                Claim: string;
                /**
                 * @description Roles: the names of the caller's roles. Constant: Value. Attribute: the User's, of the name Value. Else a field.
                 * @enum {string}
                 */
                From: "Roles" | "Name" | "GivenName" | "FamilyName" | "Username" | "Email" | "MobilePhone" | "External_Id" | "Department" | "Attribute" | "Constant";
                /** @description Of a Constant, and of an Attribute. */
                Value?: string;
            }[] | null;
            /**
             * @description What the `sub` of its users is (OpenID Connect Core 8): the same as for other clients, or one that only clients of its sector share.
             * @default public
             * @enum {string|null}
             */
            SubjectType?: "public" | "pairwise" | null;
            /** @description Of a pairwise client: an https address whose JSON list has all of its RedirectUris (OpenID Connect Core 8.1); its host is the sector. Empty: the one host of its RedirectUris. */
            SectorIdentifierUri?: string | null;
            /** @description An https address of its logo: PNG, JPEG or WebP, at most 512 KiB. The consent page shows it. */
            LogoUri?: string | null;
            /** @description Where its privacy policy is; the consent page links to it. */
            PolicyUri?: string | null;
            /** @description Where its terms of service are; the consent page links to them. */
            TosUri?: string | null;
            /**
             * @description Its authorization requests are taken by `request_uri` alone, pushed beforehand (RFC 9126).
             * @default false
             */
            RequirePar?: boolean | null;
            /**
             * @description Its authorization requests are taken as a signed `request` alone, pushed or not (RFC 9101).
             * @default false
             */
            RequireSignedRequestObject?: boolean | null;
            /**
             * @description It is given tokens at /oauth2/token alone, and only such as are bound to a key that it proves by DPoP (RFC 9449).
             * @default false
             */
            DpopBound?: boolean | null;
            /**
             * @description FAPI2: the FAPI 2.0 Security Profile. It needs RequirePar, DpopBound, private_key_jwt or tls_client_auth, and ES256 or EdDSA; then PKCE is demanded, codes live for 60 s, and RS256, hybrid answers and other audiences of an assertion are refused.
             * @default None
             * @enum {string|null}
             */
            SecurityProfile?: "None" | "FAPI2" | null;
            /**
             * @description Users are not asked for their consent.
             * @default false
             */
            FirstParty?: boolean | null;
        };
        Secret: {
            /** Format: uuid */
            Id: string;
            Name: string;
            /** Format: date-time */
            CreatedOn: string;
            /**
             * Format: date-time
             * @description When it last proved the client; less than an hour behind. null: it was never used.
             */
            LastUsedOn: string | null;
        };
        NewSecret: {
            /** Format: uuid */
            Id: string;
            Name: string;
            /** Format: date-time */
            CreatedOn: string;
            /**
             * Format: date-time
             * @description When it last proved the client; less than an hour behind. null: it was never used.
             */
            LastUsedOn: string | null;
            /** @description It is never shown again. */
            Secret: string;
        };
        SecretData: {
            /** @description To tell it from another one, such as where it is used. */
            Name?: string | null;
        };
        RegistrationToken: {
            /** Format: uuid */
            Id: string;
            Name: string;
            UsesLeft: number;
            /** Format: date-time */
            ExpiresOn: string;
            /** Format: date-time */
            CreatedOn: string;
        };
        NewRegistrationToken: {
            /** Format: uuid */
            Id: string;
            Name: string;
            UsesLeft: number;
            /** Format: date-time */
            ExpiresOn: string;
            /** Format: date-time */
            CreatedOn: string;
            /** @description It is never shown again. */
            Token: string;
        };
        RegistrationTokenData: {
            /** @description To tell it from another one, such as whom it is for. */
            Name?: string | null;
            /**
             * Format: int32
             * @description How many clients can be registered by it. null: 1.
             */
            Uses?: number | null;
            /**
             * Format: int32
             * @description How long it can be used. null: 604800 seconds, 7 days.
             */
            Lifetime?: number | null;
        };
        RegistrationAccessToken: {
            Application: components["schemas"]["AbstractLong"];
            /** @description It registered itself without an initial access token. */
            Open: boolean;
            /** Format: date-time */
            RegisteredOn: string;
            /**
             * Format: date-time
             * @description When its token was made. null: it has none, because it was revoked.
             */
            MadeOn: string | null;
            /**
             * Format: date-time
             * @description When a token of its was last used; less than an hour behind.
             */
            LastUsedOn: string | null;
            /** @description Fields of Credentials, Name and WebSiteURL of the Application, and Secrets, that were changed here since. By its token the client may narrow these, and neither widen nor undo them. */
            AdministratorSet: string[];
        };
        NewRegistrationAccessToken: {
            Application: components["schemas"]["AbstractLong"];
            /** @description It registered itself without an initial access token. */
            Open: boolean;
            /** Format: date-time */
            RegisteredOn: string;
            /**
             * Format: date-time
             * @description When its token was made. null: it has none, because it was revoked.
             */
            MadeOn: string | null;
            /**
             * Format: date-time
             * @description When a token of its was last used; less than an hour behind.
             */
            LastUsedOn: string | null;
            /** @description Fields of Credentials, Name and WebSiteURL of the Application, and Secrets, that were changed here since. By its token the client may narrow these, and neither widen nor undo them. */
            AdministratorSet: string[];
            /** @description It is never shown again. */
            Token: string;
        };
        Logout: {
            /** Format: uuid */
            Id: string;
            /**
             * Format: int32
             * @description Who was signed out; the User may be gone.
             */
            UserId: number;
            /**
             * Format: uuid
             * @description The `sid` of the Application's id_tokens.
             */
            SessionId: string;
            /** @enum {string} */
            State: "Pending" | "Retrying" | "Delivered" | "Exhausted" | "Cancelled";
            /** @description Why it was not delivered; null: it was, or is new. */
            Reason: string | null;
            /**
             * Format: int32
             * @description Each redelivery is another one.
             */
            Run: number;
            /**
             * Format: date-time
             * @description When the session ended.
             */
            CreatedOn: string;
            /**
             * Format: date-time
             * @description null: it is under way.
             */
            EndedOn: string | null;
            WorkflowId: string;
            /**
             * Format: uri
             * @description The run in the Temporal UI.
             */
            WorkflowUrl: string;
            Attempts: {
                /** Format: int32 */
                Number: number;
                /** Format: date-time */
                StartedOn: string;
                /**
                 * Format: int32
                 * @description null: it is under way, or was lost with its worker.
                 */
                DurationMs: number | null;
                /**
                 * Format: int32
                 * @description null: there was no answer.
                 */
                StatusCode: number | null;
                /** @description The failure in one word; null: the receiver answered. */
                Failure: string | null;
                Response: {
                    Headers: string;
                    /** @description Its first 4 KiB; of a failure, what went wrong. */
                    Body: string;
                } | null;
            }[];
        };
        Grant: {
            User: components["schemas"]["AbstractLong"];
            Application: components["schemas"]["AbstractLong"];
            /** @description APIs of the tenant that it may use. The scopes of others are the entity API's and userinfo's. */
            Apis: {
                /** Format: uuid */
                Id: string;
                Name: string;
            }[];
            Scopes: string[];
            /** @description Names of claims that it may see beside those of its scopes. */
            Claims: string[];
            /** @description false: the Application is, or was, FirstParty, and the User was not asked. */
            Consented: boolean;
            /** Format: date-time */
            GrantedOn: string;
            /**
             * Format: date-time
             * @description When tokens were last issued by it. null: it has none that it could refresh.
             */
            LastUsedOn: string | null;
        };
        PasswordReset: {
            /** @description To be given to the User, and nobody else. */
            Url: string;
            /** Format: date-time */
            ExpiresOn: string;
        };
        SecondFactor: {
            /** @constant */
            Type: "TOTP";
            /** Format: date-time */
            EnrolledOn: string;
            /**
             * Format: int32
             * @description Those not used yet.
             */
            RecoveryCodes: number;
        };
        Identity: {
            Id: string;
            IdentityProvider: components["schemas"]["AbstractText"];
            /** @description What the provider calls the User. */
            Subject: string;
            /** Format: date-time */
            LinkedOn: string;
            /** @description The provider is switched on, and still the one that was linked. */
            Is_Usable: boolean;
        };
        IdentityData: {
            IdentityProviderId: string;
            /** @description What the provider calls the account: its sub. */
            Subject: string;
        };
        Session: {
            /** Format: uuid */
            Id: string;
            /** @description What the browser calls itself, in words. */
            Device: string;
            /** @description The head of what the browser calls itself. */
            UserAgent: string;
            /** @description Where the User signed in; of IPv6 the /64. */
            Address: string;
            /** Format: date-time */
            StartedOn: string;
            /**
             * Format: date-time
             * @description To the minute.
             */
            LastSeen: string;
            /** @description How the User was authenticated (RFC 8176). */
            Amr: string[];
            /**
             * @description By how many factors.
             * @enum {string}
             */
            Acr: "1" | "2";
        };
        EndedSessions: {
            /**
             * Format: int32
             * @description How many sessions there were.
             */
            Ended: number;
        };
        /** @description What holds for all of a tenant. */
        TenantSettings: {
            /**
             * @description Required: a user without a second factor is led through setting one up at sign-in.
             * @enum {string}
             */
            SecondFactor: "Optional" | "Required";
            /**
             * @description Whether applications register themselves at `/oauth2/register` (RFC 7591): not at all, by an initial access token, or also without one.
             * @enum {string}
             */
            ClientRegistration: "Off" | "InitialAccessToken" | "Open";
            /**
             * @description Whether an https address is a client_id, and the JSON document there says what its application is (client ID metadata documents, as MCP clients use them). It needs a service with one tenant alone.
             * @enum {string}
             */
            ClientIdMetadataDocuments: "Off" | "On";
            /** @description The most that such an application, or one known by an address, may have: scopes of this service, and of APIs. Without an initial access token, none that is for this service's API. */
            RegistrationScopes: ("openid" | "profile" | "name" | "email" | "address" | "phone" | "AccessManager:Read" | "AccessManager:Create" | "AccessManager:Update" | "AccessManager:Delete" | "Settings:Read" | "Settings:Update" | "Webhooks:Read" | "Webhooks:Create" | "Webhooks:Update" | "Webhooks:Delete" | string)[];
            /** @description What the Attributes of Users can have. One that Users have values of is not taken out, and keeps its Type: 409. */
            UserAttributes: {
                /** @description Of letters, digits and _. */
                Name: string;
                /**
                 * @description Texts is a list.
                 * @enum {string}
                 */
                Type: "Text" | "Number" | "Boolean" | "Texts";
                /** @description What it means to people. */
                Description?: string;
            }[];
        };
        /** @description Absent fields are left alone. */
        TenantSettingsData: {
            /**
             * @description Required: a user without a second factor is led through setting one up at sign-in.
             * @enum {string}
             */
            SecondFactor?: "Optional" | "Required";
            /**
             * @description Whether applications register themselves at `/oauth2/register` (RFC 7591): not at all, by an initial access token, or also without one.
             * @enum {string}
             */
            ClientRegistration?: "Off" | "InitialAccessToken" | "Open";
            /**
             * @description Whether an https address is a client_id, and the JSON document there says what its application is (client ID metadata documents, as MCP clients use them). It needs a service with one tenant alone.
             * @enum {string}
             */
            ClientIdMetadataDocuments?: "Off" | "On";
            /** @description The most that such an application, or one known by an address, may have: scopes of this service, and of APIs. Without an initial access token, none that is for this service's API. */
            RegistrationScopes?: ("openid" | "profile" | "name" | "email" | "address" | "phone" | "AccessManager:Read" | "AccessManager:Create" | "AccessManager:Update" | "AccessManager:Delete" | "Settings:Read" | "Settings:Update" | "Webhooks:Read" | "Webhooks:Create" | "Webhooks:Update" | "Webhooks:Delete" | string)[] | null;
            /** @description What the Attributes of Users can have. One that Users have values of is not taken out, and keeps its Type: 409. */
            UserAttributes?: {
                /** @description Of letters, digits and _. */
                Name: string;
                /**
                 * @description Texts is a list.
                 * @enum {string}
                 */
                Type: "Text" | "Number" | "Boolean" | "Texts";
                /** @description What it means to people. */
                Description?: string;
            }[] | null;
        };
        SigningKey: {
            /** @description The kid of a token's header, and in the key set. */
            Id: string;
            /**
             * @description What it signs by.
             * @enum {string}
             */
            Alg: "EdDSA" | "RS256" | "ES256";
            /**
             * @description Published but not signing yet; the one that signs; published still for the tokens it has signed.
             * @enum {string}
             */
            State: "Announced" | "Signing" | "Retired";
            /**
             * Format: date-time
             * @description When it begins to sign.
             */
            SignsFrom: string;
            /**
             * Format: date-time
             * @description When its successor takes over; of the newest key, when one is due.
             */
            SignsUntil: string;
            /**
             * Format: date-time
             * @description When it is removed, its last token having expired.
             */
            PublishedUntil: string;
        };
        /** @description The error record, with the fields of RFC 6749 5.2; the header X-Request-Id has its RequestKey. */
        TokenError: {
            /** @description The last part of Type. */
            error: string;
            /** @description Human-readable explanation. */
            error_description: string;
            /** @description Human-readable explanations. */
            Errors: string[];
            /**
             * @description URI identifier categorizing the error.
             * @default
             * @example /Errors/Bad Input
             * @example /Errors/Multible Rows
             * @example /Errors/Unauthorized
             * @example /Errors/Permission
             * @example /Errors/Not Found
             * @example /Errors/Method Not Allowed
             * @example /Errors/Conflict
             * @example /Errors/Precondition Failed
             * @example /Errors/Payload Too Large
             * @example /Errors/Unsupported Media Type
             * @example /Errors/Too Many Requests
             * @example /Errors/Service Unavailable
             * @example /Errors/Service Unavailable
             * @example /Errors/Internal Server Error
             */
            Type: string;
            /**
             * @description Brief message.
             * @default
             */
            Title: string;
            /**
             * Format: int32
             * @description HTTP status code.
             */
            StatusCode: number;
            /**
             * @description URI identifying the occurrence (the request path).
             * @default
             */
            Instance: string;
        };
        /** @description RFC 6749 5.2. */
        Rfc6749Error: {
            error: string;
            error_description: string;
        };
        TokenRequest: {
            /** @enum {string} */
            grant_type: "authorization_code" | "client_credentials" | "refresh_token" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange";
            /** @description The Application's Id. */
            client_id?: string;
            /**
             * Format: password
             * @description One of its secrets.
             */
            client_secret?: string;
            /** @description urn:ietf:params:oauth:client-assertion-type:jwt-bearer, with client_assertion. */
            client_assertion_type?: string;
            /** @description Of private_key_jwt (RFC 7523): a JWT signed by the client. */
            client_assertion?: string;
            /**
             * @description Space-delimited; `*` gives all scopes. `AccessManager:Create, Update` stands for AccessManager:Create and AccessManager:Update.
             * @default openid profile name
             */
            scope?: string;
            /** @description Of the authorization code grant. */
            code?: string;
            /** @description Optional; if sent, as in the authorization request. */
            redirect_uri?: string;
            /** @description PKCE (RFC 7636), if the authorization request had a challenge. */
            code_verifier?: string;
            /** @description Of the refresh grant. */
            refresh_token?: string;
            /** @description Of the device grant (RFC 8628). */
            device_code?: string;
            /** @description Of token exchange (RFC 8693): an access token of the user. */
            subject_token?: string;
            /** @description urn:ietf:params:oauth:token-type:access_token or urn:ietf:params:oauth:token-type:jwt, with subject_token. */
            subject_token_type?: string;
            /** @description Of token exchange: an access token of who acts for the user, issued to this client. */
            actor_token?: string;
            /** @description The same types, with actor_token. */
            actor_token_type?: string;
            /** @description Of token exchange: the same types. */
            requested_token_type?: string;
            /** @description Of token exchange: as resource. */
            audience?: string;
            /**
             * Format: uri
             * @description What the token is for (RFC 8707): the Audience of an Api. Absent: the API of this service.
             */
            resource?: string;
        };
        TokenResponse: {
            /** @constant */
            token_type: "Bearer";
            /**
             * Format: int32
             * @description Lifetime of the access token in seconds.
             */
            expires_in: number;
            /** @description A JWT (RFC 9068). */
            access_token: string;
            /** @description Returned in the authorization code grant when the openid scope was requested. */
            id_token?: string;
            refresh_token?: string;
            /** @description What was granted, if that is not what was asked for (RFC 6749 5.1). */
            scope?: string;
        };
        JsonWebKeySet: {
            keys: {
                kty: string;
                kid: string;
                alg: string;
                use: string;
                crv?: string;
                x?: string;
                y?: string;
                n?: string;
                e?: string;
            }[];
        };
        Rfc6749TokenResponse: {
            /**
             * @description DPoP: bound to a key (RFC 9449).
             * @enum {string}
             */
            token_type: "Bearer" | "DPoP";
            /**
             * Format: int32
             * @description Lifetime of the access token in seconds.
             */
            expires_in: number;
            /** @description A JWT (RFC 9068). */
            access_token: string;
            /** @description Returned in the authorization code grant when the openid scope was requested. */
            id_token?: string;
            /** @description Not of the client credentials grant (RFC 6749 4.4.3). */
            refresh_token?: string;
            /** @description What was granted. */
            scope?: string;
            /** @description Of token exchange (RFC 8693 2.2.1). */
            issued_token_type?: string;
        };
        PushedAuthorizationRequest: {
            /**
             * @description Must include code or code id_token.
             * @enum {string}
             */
            response_type?: "code" | "code id_token";
            /**
             * Format: uri
             * @description Must match exactly one of the authorized redirect URIs configured for the client.
             */
            redirect_uri?: string;
            /**
             * @description How the answer is sent.
             * @enum {string}
             */
            response_mode?: "query" | "fragment" | "form_post" | "jwt" | "query.jwt" | "fragment.jwt" | "form_post.jwt";
            /**
             * @description Space-delimited; `*` gives all scopes.
             * @default openid profile name
             */
            scope?: string;
            /** @description Any string; returned unchanged. */
            state?: string;
            /** @description Associates a client session with an ID token; mitigates replay. */
            nonce?: string;
            /** @description PKCE (RFC 7636); demanded of public and native clients. */
            code_challenge?: string;
            /**
             * @description How the challenge was made.
             * @constant
             */
            code_challenge_method?: "S256";
            /** @description The thumbprint of the key that redeeming the code takes (RFC 9449 10). */
            dpop_jkt?: string;
            /** @description Space-delimited: none, login, consent, select_account. */
            prompt?: string;
            /**
             * Format: int32
             * @description Seconds since the last sign-in, at most.
             */
            max_age?: number;
            /** @description The user name to begin with. */
            login_hint?: string;
            /** @description Of the user who is expected. */
            id_token_hint?: string;
            /** @description Wished authentication context classes. */
            acr_values?: string;
            /** @description Single claims asked for, in JSON (OIDC Core 5.5). */
            claims?: string;
            /**
             * Format: uri
             * @description What the token is for (RFC 8707): the Audience of an Api. Absent: the API of this service.
             */
            resource?: string;
            /** @description All of this, signed by the client (RFC 9101); beside it, only client_id counts. */
            request?: string;
            /** @description The Application's Id. */
            client_id?: string;
            /**
             * Format: password
             * @description One of its secrets.
             */
            client_secret?: string;
            /** @description urn:ietf:params:oauth:client-assertion-type:jwt-bearer, with client_assertion. */
            client_assertion_type?: string;
            /** @description Of private_key_jwt (RFC 7523): a JWT signed by the client. */
            client_assertion?: string;
        };
        PushedAuthorizationResponse: {
            /** @description What the browser brings to the authorization endpoint, with the client_id. */
            request_uri: string;
            /**
             * Format: int32
             * @description Seconds in which the browser has to come.
             */
            expires_in: number;
        };
        DeviceAuthorizationRequest: {
            /** @description The Application's Id. */
            client_id?: string;
            /**
             * Format: password
             * @description One of its secrets.
             */
            client_secret?: string;
            /** @description urn:ietf:params:oauth:client-assertion-type:jwt-bearer, with client_assertion. */
            client_assertion_type?: string;
            /** @description Of private_key_jwt (RFC 7523): a JWT signed by the client. */
            client_assertion?: string;
            /**
             * @description Space-delimited; `*` gives all scopes.
             * @default openid profile name
             */
            scope?: string;
            /**
             * Format: uri
             * @description What the token is for (RFC 8707): the Audience of an Api. Absent: the API of this service.
             */
            resource?: string;
        };
        DeviceAuthorizationResponse: {
            /** @description What the device polls the token endpoint with. */
            device_code: string;
            /** @description What the user types; upper and lower case, and what stands between the letters, do not count. */
            user_code: string;
            /**
             * Format: uri
             * @description Where the user types it.
             */
            verification_uri: string;
            /**
             * Format: uri
             * @description The same with the code, for a QR code. The user still has to continue by hand.
             */
            verification_uri_complete: string;
            /**
             * Format: int32
             * @description Seconds in which the user has to answer.
             */
            expires_in: number;
            /**
             * Format: int32
             * @description Seconds between two polls.
             */
            interval: number;
        };
        TokenReference: {
            /** @description An access token or a refresh token. */
            token: string;
            /** @description Not needed. */
            token_type_hint?: string;
            /** @description The Application's Id. */
            client_id?: string;
            /**
             * Format: password
             * @description One of its secrets.
             */
            client_secret?: string;
            /** @description urn:ietf:params:oauth:client-assertion-type:jwt-bearer, with client_assertion. */
            client_assertion_type?: string;
            /** @description Of private_key_jwt (RFC 7523): a JWT signed by the client. */
            client_assertion?: string;
        };
        Introspection: {
            active: boolean;
            token_type?: string;
            scope?: string;
            client_id?: string;
            sub?: string;
            iss?: string;
            jti?: string;
            tenant?: string;
            acr?: string;
            aud?: string | string[];
            amr?: string[];
            /** Format: int64 */
            iat?: number;
            /** Format: int64 */
            exp?: number;
            /** Format: int64 */
            auth_time?: number;
            /** @description Who acts for the user (RFC 8693 4.1); in it, who did before. */
            act?: {
                sub: string;
                client_id: string;
            } & {
                [key: string]: unknown;
            };
            cnf?: {
                /** @description The thumbprint of the key that it is bound to (RFC 9449 6.2). */
                jkt: string;
            };
            /** @description Of an exchanged token: the scopes that tokens exchanged from it can have for other audiences. */
            exchange_scope?: string;
        };
        ClientMetadata: {
            /** @description Needed with the grant authorization_code. */
            redirect_uris?: string[];
            post_logout_redirect_uris?: string[];
            backchannel_logout_uri?: string;
            /** @description Of authorization_code, client_credentials, refresh_token, urn:ietf:params:oauth:grant-type:device_code, urn:ietf:params:oauth:grant-type:token-exchange; by default authorization_code. */
            grant_types?: string[];
            /** @description Of code, code id_token; by default code. */
            response_types?: string[];
            /** @description One of client_secret_basic, client_secret_post, private_key_jwt, tls_client_auth, none; by default a secret in either way. */
            token_endpoint_auth_method?: string;
            /** @description web or native (OpenID Connect Dynamic Client Registration 2). */
            application_type?: string;
            jwks?: {
                [key: string]: unknown;
            };
            jwks_uri?: string;
            tls_client_auth_subject_dn?: string;
            tls_client_auth_san_dns?: string;
            tls_client_auth_san_uri?: string;
            tls_client_auth_san_ip?: string;
            tls_client_auth_san_email?: string;
            /** @description Space-delimited; by default all that the tenant allows such a client. */
            scope?: string;
            id_token_signed_response_alg?: string;
            /** @description Userinfo is then a JWT (OpenID Connect Core 5.3.2); by default plain JSON. */
            userinfo_signed_response_alg?: string;
            /** @description RFC 9701 6; by default as id_token_signed_response_alg. */
            introspection_signed_response_alg?: string;
            /** @description The same as id_token_signed_response_alg (JARM 3). */
            authorization_signed_response_alg?: string;
            /** @description public or pairwise. */
            subject_type?: string;
            sector_identifier_uri?: string;
            require_pushed_authorization_requests?: boolean;
            require_signed_request_object?: boolean;
            dpop_bound_access_tokens?: boolean;
            /** @description What people see. */
            client_name?: string;
            client_uri?: string;
            /** @description An https address of a PNG, JPEG or WebP, which the consent page shows. */
            logo_uri?: string;
            policy_uri?: string;
            tos_uri?: string;
        } & {
            [key: string]: unknown;
        };
        ClientInformation: {
            client_id: string;
            /**
             * Format: int64
             * @description Seconds since 1970.
             */
            client_id_issued_at: number;
            /** @description Shown where it is made, and never again. */
            client_secret?: string;
            /**
             * Format: int64
             * @description 0: it does not.
             */
            client_secret_expires_at?: number;
            /** @description By which the client reads and changes this; each change gives another. */
            registration_access_token: string;
            /** Format: uri */
            registration_client_uri: string;
            /** @description Needed with the grant authorization_code. */
            redirect_uris?: string[];
            post_logout_redirect_uris?: string[];
            backchannel_logout_uri?: string;
            /** @description Of authorization_code, client_credentials, refresh_token, urn:ietf:params:oauth:grant-type:device_code, urn:ietf:params:oauth:grant-type:token-exchange; by default authorization_code. */
            grant_types?: string[];
            /** @description Of code, code id_token; by default code. */
            response_types?: string[];
            /** @description One of client_secret_basic, client_secret_post, private_key_jwt, tls_client_auth, none; by default a secret in either way. */
            token_endpoint_auth_method?: string;
            /** @description web or native (OpenID Connect Dynamic Client Registration 2). */
            application_type?: string;
            jwks?: {
                [key: string]: unknown;
            };
            jwks_uri?: string;
            tls_client_auth_subject_dn?: string;
            tls_client_auth_san_dns?: string;
            tls_client_auth_san_uri?: string;
            tls_client_auth_san_ip?: string;
            tls_client_auth_san_email?: string;
            /** @description Space-delimited; by default all that the tenant allows such a client. */
            scope?: string;
            id_token_signed_response_alg?: string;
            /** @description Userinfo is then a JWT (OpenID Connect Core 5.3.2); by default plain JSON. */
            userinfo_signed_response_alg?: string;
            /** @description RFC 9701 6; by default as id_token_signed_response_alg. */
            introspection_signed_response_alg?: string;
            /** @description The same as id_token_signed_response_alg (JARM 3). */
            authorization_signed_response_alg?: string;
            /** @description public or pairwise. */
            subject_type?: string;
            sector_identifier_uri?: string;
            require_pushed_authorization_requests?: boolean;
            require_signed_request_object?: boolean;
            dpop_bound_access_tokens?: boolean;
            /** @description What people see. */
            client_name?: string;
            client_uri?: string;
            /** @description An https address of a PNG, JPEG or WebP, which the consent page shows. */
            logo_uri?: string;
            policy_uri?: string;
            tos_uri?: string;
            /** @description The members that were sent and have no effect here. */
            ignored_metadata?: string[];
        };
        ProviderMetadata: {
            /** Format: uri */
            issuer: string;
            /** Format: uri */
            token_endpoint: string;
            /** Format: uri */
            jwks_uri: string;
        } & {
            [key: string]: unknown;
        };
        AuthorizationRequest: {
            /**
             * @description Must include code or code id_token.
             * @enum {string}
             */
            response_type: "code" | "code id_token";
            /**
             * Format: uri
             * @description Must match exactly one of the authorized redirect URIs configured for the client.
             */
            redirect_uri: string;
            /** @description The Application's Id. */
            client_id: string;
            /**
             * @description How the answer is sent.
             * @enum {string}
             */
            response_mode?: "query" | "fragment" | "form_post";
            /**
             * @description Space-delimited; `*` gives all scopes.
             * @default openid profile name
             */
            scope?: string;
            /** @description Any string; returned unchanged. */
            state?: string;
            /** @description Associates a client session with an ID token; mitigates replay. */
            nonce?: string;
            /** @description PKCE (RFC 7636); demanded of public and native clients. */
            code_challenge?: string;
            /**
             * @description How the challenge was made.
             * @constant
             */
            code_challenge_method?: "S256";
            /** @description The thumbprint of the key that redeeming the code takes (RFC 9449 10). */
            dpop_jkt?: string;
            /** @description Space-delimited: none, login, consent, select_account. */
            prompt?: string;
            /**
             * Format: int32
             * @description Seconds since the last sign-in, at most.
             */
            max_age?: number;
            /** @description The user name to begin with. */
            login_hint?: string;
            /** @description Of the user who is expected. */
            id_token_hint?: string;
            /** @description Wished authentication context classes. */
            acr_values?: string;
            /** @description Single claims asked for, in JSON (OIDC Core 5.5). */
            claims?: string;
            /**
             * Format: uri
             * @description What the token is for (RFC 8707): the Audience of an Api. Absent: the API of this service.
             */
            resource?: string;
            /** @description All of this, signed by the client (RFC 9101); beside it, only client_id counts. */
            request?: string;
        };
        Rfc6749AuthorizationRequest: {
            /**
             * @description Must include code or code id_token.
             * @enum {string}
             */
            response_type: "code" | "code id_token";
            /**
             * Format: uri
             * @description Must match exactly one of the authorized redirect URIs configured for the client.
             */
            redirect_uri: string;
            /** @description The Application's Id. */
            client_id: string;
            /**
             * @description How the answer is sent.
             * @enum {string}
             */
            response_mode?: "query" | "fragment" | "form_post" | "jwt" | "query.jwt" | "fragment.jwt" | "form_post.jwt";
            /**
             * @description Space-delimited; `*` gives all scopes.
             * @default openid profile name
             */
            scope?: string;
            /** @description Any string; returned unchanged. */
            state?: string;
            /** @description Associates a client session with an ID token; mitigates replay. */
            nonce?: string;
            /** @description PKCE (RFC 7636); demanded of public and native clients. */
            code_challenge?: string;
            /**
             * @description How the challenge was made.
             * @constant
             */
            code_challenge_method?: "S256";
            /** @description The thumbprint of the key that redeeming the code takes (RFC 9449 10). */
            dpop_jkt?: string;
            /** @description Space-delimited: none, login, consent, select_account. */
            prompt?: string;
            /**
             * Format: int32
             * @description Seconds since the last sign-in, at most.
             */
            max_age?: number;
            /** @description The user name to begin with. */
            login_hint?: string;
            /** @description Of the user who is expected. */
            id_token_hint?: string;
            /** @description Wished authentication context classes. */
            acr_values?: string;
            /** @description Single claims asked for, in JSON (OIDC Core 5.5). */
            claims?: string;
            /**
             * Format: uri
             * @description What the token is for (RFC 8707): the Audience of an Api. Absent: the API of this service.
             */
            resource?: string;
            /** @description All of this, signed by the client (RFC 9101); beside it, only client_id counts. */
            request?: string;
        };
        UserInfo: {
            /** @description `user-` and the User's Id. */
            sub: string;
            name?: string;
            given_name?: string;
            family_name?: string;
            preferred_username?: string;
            middle_name?: string;
            nickname?: string;
            profile?: string;
            picture?: string;
            website?: string;
            gender?: string;
            birthdate?: string;
            zoneinfo?: string;
            locale?: string;
            email?: string;
            email_verified?: boolean;
            phone_number?: string;
            phone_number_verified?: boolean;
            address?: {
                formatted: string;
            };
            /**
             * Format: int64
             * @description Seconds since 1970.
             */
            updated_at?: number;
        };
        LogoutRequest: {
            /** @description Of the session to end; with it, the user is not asked. */
            id_token_hint?: string;
            /** @description The Application's Id. */
            client_id?: string;
            /** @description An address registered to the client. */
            post_logout_redirect_uri?: string;
            /** @description Returned unchanged. */
            state?: string;
        };
        Readiness: {
            /** @enum {string} */
            status: "ready" | "degraded" | "unavailable";
            /** @enum {string} */
            postgresql: "up" | "read-only" | "disk-full" | "down";
            /** @enum {string} */
            temporal: "up" | "down";
            /** @enum {string} */
            worker: "up" | "down";
            /** @description Why the status is not ready, in words; none if it is. */
            reasons: string[];
        };
        /** @description An abstract foreign-key object with a numeric key. Of a record that the caller may not read, its Id and Type alone. */
        AbstractLong: {
            /**
             * Format: int64
             * @description Unique primary key.
             * @default 0
             */
            Id: number;
            /**
             * @description Unique if provided.
             * @default
             */
            ExternalId?: string;
            /**
             * @description Human-readable name.
             * @default
             */
            Name?: string;
            /**
             * @description The kind of entity.
             * @default
             */
            Type?: string;
        };
        /** @description An abstract foreign-key object with a text key. Of a record that the caller may not read, its Id and Type alone. */
        AbstractText: {
            /**
             * @description Unique primary key.
             * @default
             */
            Id: string;
            /**
             * @description Unique if provided.
             * @default
             */
            ExternalId?: string;
            /**
             * @description Human-readable name.
             * @default
             */
            Name?: string;
            /**
             * @description The kind of entity.
             * @default
             */
            Type?: string;
        };
        /**
         * @description What a foreign key points at, by one of its fields or as a record shows it; empty or null: nothing.
         * @example {
         *       "FieldType": "ExternalId",
         *       "Value": "FIN"
         *     }
         * @example {
         *       "Id": 3
         *     }
         * @example null
         */
        ForeignKey: components["schemas"]["ForeignKeyByField"] | components["schemas"]["ForeignKeyAbstract"] | null;
        ForeignKeyByField: {
            /**
             * @description The field it is found by.
             * @enum {string}
             */
            FieldType: "Id" | "ExternalId" | "Name";
            /** @description The field's value; of Id a number above 0, as a number or as text. */
            Value: string | number;
            /** @description The entity's name, if it is to be checked. */
            Type?: string | null;
        };
        /** @description It is found by Id, or without one by ExternalId. */
        ForeignKeyAbstract: {
            Id?: number | string | null;
            ExternalId?: string | null;
            /** @description Not looked at; FieldType finds by Name. */
            Name?: unknown;
            /** @description The entity's name, if it is to be checked. */
            Type?: string | null;
        };
        /** @description Every error of the entity API is one. */
        ErrorRecord: {
            /** @description Human-readable explanations. */
            Errors: string[];
            /**
             * @description URI identifier categorizing the error.
             * @default
             * @example /Errors/Bad Input
             * @example /Errors/Multible Rows
             * @example /Errors/Unauthorized
             * @example /Errors/Permission
             * @example /Errors/Not Found
             * @example /Errors/Method Not Allowed
             * @example /Errors/Conflict
             * @example /Errors/Precondition Failed
             * @example /Errors/Payload Too Large
             * @example /Errors/Unsupported Media Type
             * @example /Errors/Too Many Requests
             * @example /Errors/Service Unavailable
             * @example /Errors/Service Unavailable
             * @example /Errors/Internal Server Error
             */
            Type: string;
            /**
             * @description Brief message.
             * @default
             */
            Title: string;
            /**
             * Format: int32
             * @description HTTP status code.
             */
            StatusCode: number;
            /**
             * @description URI identifying the occurrence (the request path).
             * @default
             */
            Instance: string;
            /**
             * @description Key identifying the current request; the X-Request-Id header and the log have it too.
             * @default
             */
            RequestKey: string;
        };
    };
    responses: {
        /** @description The input cannot be converted, or does not match the documented structure. */
        BadInput: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description The value matches several records. */
        MultipleRows: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description There is no access token, or it is expired or invalid. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description The access token lacks a scope, or no policy permits the operation. */
        Permission: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description There is no such record. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description The path has other methods; the header Allow names them. */
        MethodNotAllowed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description The change is at odds with another record, or with another caller's change. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description The record is not what If-Match or If-None-Match asks for. */
        PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description The body is too large. */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description The body has another media type. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description The client has sent too many requests, or its tenant has too many of this kind under way; the header Retry-After says when to go on. */
        TooManyRequests: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. */
        ServiceBusy: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
        DatabaseAway: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
        /** @description Something failed on our side. */
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRecord"];
            };
        };
    };
    parameters: {
        /** @description Records of a page, of those that the caller may read. */
        Limit: number;
        /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
        Cursor: string;
        /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
        IfMatch: string;
        /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
        IfNoneMatch: string;
        /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
        RequestId: string;
    };
    requestBodies: never;
    headers: {
        /** @description The request's key, the RequestKey of an error. */
        "X-Request-Id": string;
        /** @description The record's version, for If-Match and If-None-Match (RFC 9110 8.8.3). */
        ETag: string;
        /** @description Where the browser goes on. */
        Location: string;
        /** @description The methods of the path. */
        Allow: string;
        /** @description What is missing (RFC 6750 3). */
        "WWW-Authenticate": string;
        /** @description For the next DPoP proof (RFC 9449 8). */
        "DPoP-Nonce": string;
        /** @description Seconds to wait. */
        "Retry-After": number;
        /** @description How many requests are left (r), and in how many seconds (t) there are more. */
        RateLimit: string;
        /** @description How many requests (q) a client may send in how many seconds (w). */
        "RateLimit-Policy": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listApplication: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description A part, in any case, of Name or ApplicationKey or ExternalId or WebSiteURL; empty: all records. */
                Search?: string;
                /** @description Records whose Id is this. */
                Id?: number;
                /** @description Records whose Name is this; empty: those that have none. */
                Name?: string;
                /** @description Records whose ApplicationKey is this; empty: those that have none. */
                ApplicationKey?: string;
                /** @description Records whose ExternalId is this; empty: those that have none. */
                ExternalId?: string;
                /** @description Records whose Description is this; empty: those that have none. */
                Description?: string;
                /** @description Records whose WebSiteURL is this; empty: those that have none. */
                WebSiteURL?: string;
                /** @description Records whose Is_System is this. */
                Is_System?: boolean;
                /** @description Records whose Is_EndUser is this. */
                Is_EndUser?: boolean;
                /** @description Records whose Is_Active is this. */
                Is_Active?: boolean;
                /** @description Records whose ModifiedOn is this. */
                ModifiedOn?: string;
                /** @description Records whose CreatedOn is this. */
                CreatedOn?: string;
                /** @description The Id of what ApplicationId points at; 0: nothing. */
                ApplicationId?: number;
                /** @description The Id of what AuthenticationId points at; 0: nothing. */
                AuthenticationId?: number;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of Application records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Application"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    postApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One record, or an array of at most 1,000. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplicationData"] | components["schemas"]["ApplicationData"][];
            };
        };
        responses: {
            /** @description The record as it stands; of an array, each record in its order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"] | components["schemas"]["Application"][];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    upsertApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One record, or an array of at most 1,000. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplicationData"] | components["schemas"]["ApplicationData"][];
            };
        };
        responses: {
            /** @description The record as it stands; of an array, each record in its order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"] | components["schemas"]["Application"][];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getApplication: {
        parameters: {
            query?: {
                /** @description The field that Id is matched against, in any case; empty: the Id itself. */
                Name?: "Id" | "Name" | "ApplicationKey" | "ExternalId" | "Description" | "WebSiteURL" | "Is_System" | "Is_EndUser" | "Is_Active" | "ModifiedOn" | "CreatedOn" | "ApplicationId" | "AuthenticationId";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The value of the Id, or of the field that Name names. Letters, digits and `-_.~` stand for themselves. Any other text is sent as `base64|` and the base64 of its UTF-8 bytes, in the standard or the URL-safe alphabet, with or without padding. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The Application. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            /** @description The record is what If-None-Match names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input cannot be converted, or does not match the documented structure. Or: The value matches several records. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deleteApplication: {
        parameters: {
            query?: {
                /** @description The field that Id is matched against, in any case; empty: the Id itself. */
                Name?: "Id" | "Name" | "ApplicationKey" | "ExternalId" | "Description" | "WebSiteURL" | "Is_System" | "Is_EndUser" | "Is_Active" | "ModifiedOn" | "CreatedOn" | "ApplicationId" | "AuthenticationId";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The value of the Id, or of the field that Name names. Letters, digits and `-_.~` stand for themselves. Any other text is sent as `base64|` and the base64 of its UTF-8 bytes, in the standard or the URL-safe alphabet, with or without padding. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The Application's last state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            /** @description The input cannot be converted, or does not match the documented structure. Or: The value matches several records. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listUser: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description A part, in any case, of Name or Username or Email or MobilePhone or External_Id; empty: all records. */
                Search?: string;
                /** @description Records whose Id is this. */
                Id?: number;
                /** @description Records whose Name is this; empty: those that have none. */
                Name?: string;
                /** @description Records whose Username is this; empty: those that have none. */
                Username?: string;
                /** @description Records whose Email is this; empty: those that have none. */
                Email?: string;
                /** @description Records whose MobilePhone is this; empty: those that have none. */
                MobilePhone?: string;
                /** @description Records whose External_Id is this; empty: those that have none. */
                External_Id?: string;
                /** @description Records whose GivenName is this; empty: those that have none. */
                GivenName?: string;
                /** @description Records whose FamilyName is this; empty: those that have none. */
                FamilyName?: string;
                /** @description Records whose Locale is this; empty: those that have none. */
                Locale?: string;
                /** @description Records whose ZoneInfo is this; empty: those that have none. */
                ZoneInfo?: string;
                /** @description Records whose Picture is this; empty: those that have none. */
                Picture?: string;
                /** @description Records whose MiddleName is this; empty: those that have none. */
                MiddleName?: string;
                /** @description Records whose Nickname is this; empty: those that have none. */
                Nickname?: string;
                /** @description Records whose Profile is this; empty: those that have none. */
                Profile?: string;
                /** @description Records whose Website is this; empty: those that have none. */
                Website?: string;
                /** @description Records whose Gender is this; empty: those that have none. */
                Gender?: string;
                /** @description Records whose BirthDate is this; empty: those that have none. */
                BirthDate?: string;
                /** @description Records whose Address is this; empty: those that have none. */
                Address?: string;
                /** @description Records whose EmailVerified is this. */
                EmailVerified?: boolean;
                /** @description Records whose MobilePhoneVerified is this. */
                MobilePhoneVerified?: boolean;
                /** @description Records whose Creation_Date is this. */
                Creation_Date?: string;
                /** @description Records whose Last_Login is this. */
                Last_Login?: string;
                /** @description Records whose Is_Active is this. */
                Is_Active?: boolean;
                /** @description The Id of what Department points at; 0: nothing. */
                Department?: number;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of User records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["User"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    postUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One record, or an array of at most 1,000. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserData"] | components["schemas"]["UserData"][];
            };
        };
        responses: {
            /** @description The record as it stands; of an array, each record in its order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"] | components["schemas"]["User"][];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    upsertUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One record, or an array of at most 1,000. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserData"] | components["schemas"]["UserData"][];
            };
        };
        responses: {
            /** @description The record as it stands; of an array, each record in its order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"] | components["schemas"]["User"][];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getUser: {
        parameters: {
            query?: {
                /** @description The field that Id is matched against, in any case; empty: the Id itself. */
                Name?: "Id" | "Name" | "Username" | "Email" | "MobilePhone" | "External_Id" | "GivenName" | "FamilyName" | "Locale" | "ZoneInfo" | "Picture" | "MiddleName" | "Nickname" | "Profile" | "Website" | "Gender" | "BirthDate" | "Address" | "EmailVerified" | "MobilePhoneVerified" | "Creation_Date" | "Last_Login" | "Is_Active" | "Department";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The value of the Id, or of the field that Name names. Letters, digits and `-_.~` stand for themselves. Any other text is sent as `base64|` and the base64 of its UTF-8 bytes, in the standard or the URL-safe alphabet, with or without padding. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The User. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The record is what If-None-Match names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input cannot be converted, or does not match the documented structure. Or: The value matches several records. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deleteUser: {
        parameters: {
            query?: {
                /** @description The field that Id is matched against, in any case; empty: the Id itself. */
                Name?: "Id" | "Name" | "Username" | "Email" | "MobilePhone" | "External_Id" | "GivenName" | "FamilyName" | "Locale" | "ZoneInfo" | "Picture" | "MiddleName" | "Nickname" | "Profile" | "Website" | "Gender" | "BirthDate" | "Address" | "EmailVerified" | "MobilePhoneVerified" | "Creation_Date" | "Last_Login" | "Is_Active" | "Department";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The value of the Id, or of the field that Name names. Letters, digits and `-_.~` stand for themselves. Any other text is sent as `base64|` and the base64 of its UTF-8 bytes, in the standard or the URL-safe alphabet, with or without padding. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The User's last state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The input cannot be converted, or does not match the documented structure. Or: The value matches several records. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listDepartment: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description A part, in any case, of ExternalId or Name; empty: all records. */
                Search?: string;
                /** @description Records whose Id is this. */
                Id?: number;
                /** @description Records whose ExternalId is this; empty: those that have none. */
                ExternalId?: string;
                /** @description Records whose Name is this; empty: those that have none. */
                Name?: string;
                /** @description Records whose Description is this; empty: those that have none. */
                Description?: string;
                /** @description Records whose Is_Active is this. */
                Is_Active?: boolean;
                /** @description Records whose ModifiedOn is this. */
                ModifiedOn?: string;
                /** @description Records whose CreatedOn is this. */
                CreatedOn?: string;
                /** @description The Id of what ParentId points at; 0: nothing. */
                ParentId?: number;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of Department records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Department"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    postDepartment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One record, or an array of at most 1,000. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DepartmentData"] | components["schemas"]["DepartmentData"][];
            };
        };
        responses: {
            /** @description The record as it stands; of an array, each record in its order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Department"] | components["schemas"]["Department"][];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    upsertDepartment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One record, or an array of at most 1,000. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DepartmentData"] | components["schemas"]["DepartmentData"][];
            };
        };
        responses: {
            /** @description The record as it stands; of an array, each record in its order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Department"] | components["schemas"]["Department"][];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getDepartment: {
        parameters: {
            query?: {
                /** @description The field that Id is matched against, in any case; empty: the Id itself. */
                Name?: "Id" | "ExternalId" | "Name" | "Description" | "Is_Active" | "ModifiedOn" | "CreatedOn" | "ParentId";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The value of the Id, or of the field that Name names. Letters, digits and `-_.~` stand for themselves. Any other text is sent as `base64|` and the base64 of its UTF-8 bytes, in the standard or the URL-safe alphabet, with or without padding. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The Department. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Department"];
                };
            };
            /** @description The record is what If-None-Match names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The input cannot be converted, or does not match the documented structure. Or: The value matches several records. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deleteDepartment: {
        parameters: {
            query?: {
                /** @description The field that Id is matched against, in any case; empty: the Id itself. */
                Name?: "Id" | "ExternalId" | "Name" | "Description" | "Is_Active" | "ModifiedOn" | "CreatedOn" | "ParentId";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The value of the Id, or of the field that Name names. Letters, digits and `-_.~` stand for themselves. Any other text is sent as `base64|` and the base64 of its UTF-8 bytes, in the standard or the URL-safe alphabet, with or without padding. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The Department's last state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Department"];
                };
            };
            /** @description The input cannot be converted, or does not match the documented structure. Or: The value matches several records. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listEntities: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["EntityDescription"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listWebhookConnection: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description The connection of this Name; empty: those without one. */
                Name?: string;
                /** @description Connections in this state. */
                State?: "Active" | "Held" | "Paused";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhook connections. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["WebhookConnection"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    postWebhookConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One connection. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookConnectionData"];
            };
        };
        responses: {
            /** @description The webhook connection as it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConnection"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    upsertWebhookConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One connection. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookConnectionData"];
            };
        };
        responses: {
            /** @description The webhook connection as it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConnection"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getWebhookConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The connection's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook connection. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConnection"];
                };
            };
            /** @description The record is what If-None-Match names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deleteWebhookConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The connection's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook connection's last state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConnection"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    pingWebhookConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The connection's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event, which is on its way. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPinged"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The connection's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    stageWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The connection's Id. */
                Id: string;
            };
            cookie?: never;
        };
        /** @description Empty: a secret is generated. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookSecretData"];
            };
        };
        responses: {
            /** @description The secret, if it was generated; it is never shown again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhookSecret"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    endWebhookSecretRotation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The connection's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    proveWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The connection's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proof is on its way. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    testWebhookConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The connection's Id. */
                Id: string;
            };
            cookie?: never;
        };
        /** @description One of the kinds that the connection gets. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTest"];
            };
        };
        responses: {
            /** @description The event, which is on its way. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPinged"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getWebhookConnectionStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The connection's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConnectionStatus"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getWebhookConnectionStatistics: {
        parameters: {
            query?: {
                /** @description The time until now; 24h unless given. */
                Last?: "24h" | "7d";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The connection's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Slice by slice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConnectionStatistics"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    listWebhookEvent: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description The entity's name. */
                EventRecord?: "Application" | "User" | "Department" | "Alert" | "WebhookConnection";
                /** @description Changes of the record with this Id. A change of several is found for who may read the record itself. */
                RecordId?: string;
                /** @description The kind of change. */
                EventType?: "Created" | "Updated" | "Deleted" | "Ping";
                /** @description Changes with a delivery in this state. Open: Pending or Retrying. */
                State?: "Pending" | "Retrying" | "Delivered" | "Exhausted" | "Held" | "Cancelled" | "Open";
                /** @description Changes with a delivery that was in this state at some time, whatever became of it later. Retrying: an attempt failed, and another one followed. */
                Was?: "Retrying" | "Delivered" | "Exhausted" | "Held" | "Cancelled";
                /** @description true: changes with an attempt that failed, also those that arrived later; false: without one. */
                Failed?: boolean;
                /** @description true: changes with a delivery that was sent again by a redelivery; false: without one. */
                SentAgain?: boolean;
                /** @description Changes with an attempt that came to this: a status, or why there was no answer. Beside State: whose last attempt did. */
                Reason?: string;
                /** @description Changes with a delivery to this connection. */
                ConnectionId?: string;
                /** @description Changes of the time until now. */
                Last?: string;
                /** @description Changes at this time or later. */
                From?: string;
                /** @description Changes before this time. */
                To?: string;
                /** @description Changes with a delivery that came to a state (beside Was: to that one) at this time or later. Pings are none. */
                OutcomeFrom?: string;
                /** @description Changes with a delivery that came to a state before this time, as OutcomeFrom. */
                OutcomeTo?: string;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["WebhookEvent"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    streamWebhookEvent: {
        parameters: {
            query?: {
                /** @description The entity's name. */
                EventRecord?: "Application" | "User" | "Department" | "Alert";
                /** @description The kind of change. */
                EventType?: "Created" | "Updated" | "Deleted";
                /** @description How long it stays open; 60 unless given. */
                Seconds?: number;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream, from now on or from Last-Event-ID. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getWebhookEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The EventId of the payload. */
                EventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEventDetail"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    redeliverWebhookEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The EventId of the payload. */
                EventId: string;
            };
            cookie?: never;
        };
        /** @description To whom. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookRedeliver"];
            };
        };
        responses: {
            /** @description The change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEvent"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    countDeadLetters: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description Of this connection alone. */
                ConnectionId?: string;
                /** @description In this state alone. */
                State?: "Exhausted" | "Held";
                /** @description Of changes at this time or later. */
                From?: string;
                /** @description Of changes before this time. */
                To?: string;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of connections. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["WebhookDeadLetters"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    explainWebhookEvent: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description Of this connection alone. */
                ConnectionId?: string;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The EventId of the payload. */
                EventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of connections. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["WebhookWhy"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    listRedelivery: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description Of this connection. */
                ConnectionId?: string;
                /** @description Of this kind. */
                Kind?: "Replay" | "Drain";
                /** @description In this state. */
                State?: "Running" | "Paused" | "Completed" | "Cancelled";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of redeliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Redelivery"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    createRedelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which deliveries. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeliveryData"];
            };
        };
        responses: {
            /** @description The redelivery, or with DryRun the count. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redelivery"] | components["schemas"]["RedeliveryCount"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getRedelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The redelivery's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The redelivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redelivery"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    changeRedelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The redelivery's Id. */
                Id: string;
            };
            cookie?: never;
        };
        /** @description What is to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeliveryChange"];
            };
        };
        responses: {
            /** @description The redelivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redelivery"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listRedeliveryDeliveries: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The redelivery's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["RedeliveryDelivery"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    exportRedeliveryDeliveries: {
        parameters: {
            query?: {
                /** @description CSV unless given. */
                Format?: "CSV" | "NDJSON";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The redelivery's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, the first sent first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    listIdentityProvider: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description The identity provider of this Name. */
                Name?: string;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of identity providers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["IdentityProvider"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    postIdentityProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One identity provider. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdentityProviderData"];
            };
        };
        responses: {
            /** @description The identity provider as it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProvider"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    upsertIdentityProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One identity provider. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdentityProviderData"];
            };
        };
        responses: {
            /** @description The identity provider as it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProvider"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getIdentityProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Id of the provider. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identity provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProvider"];
                };
            };
            /** @description The record is what If-None-Match names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deleteIdentityProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Id of the provider. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identity provider's last state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProvider"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    testIdentityProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Id of the provider. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProviderTest"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listApi: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description The API of this Name. */
                Name?: string;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of APIs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Api"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    postApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One API. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiData"];
            };
        };
        responses: {
            /** @description The API as it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Api"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    upsertApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One API. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiData"];
            };
        };
        responses: {
            /** @description The API as it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Api"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Id of the API. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Api"];
                };
            };
            /** @description The record is what If-None-Match names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deleteApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Id of the API. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API's last state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Api"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listPolicy: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description The policy of this Name. */
                Name?: string;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of policies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Policy"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    postPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One policy. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyData"];
            };
        };
        responses: {
            /** @description The policy as it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    upsertPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One policy. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyData"];
            };
        };
        responses: {
            /** @description The policy as it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Id of the policy. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description The record is what If-None-Match names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deletePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Id of the policy. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy's last state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listPolicyVersions: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Id of the policy. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["PolicyVersion"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    validatePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The text. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyText"];
            };
        };
        responses: {
            /** @description What is wrong with it, in the order of the text; empty: nothing. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyProblems"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    evaluatePolicies: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The call, and maybe a text to try. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyQuestion"];
            };
        };
        responses: {
            /** @description What the call would meet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyEvaluation"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    listRole: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description The role of this Name. */
                Name?: string;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of roles. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Role"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    postRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One role. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleData"];
            };
        };
        responses: {
            /** @description The role as it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    upsertRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One role. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleData"];
            };
        };
        responses: {
            /** @description The role as it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Id of the role. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description The record is what If-None-Match names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deleteRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Id of the role. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role's last state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listAlert: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description In this state. */
                State?: "Open" | "Acknowledged" | "Ended";
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of alerts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Alert"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    getAlert: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The alert's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alert. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The alert's Id. */
                Id: string;
            };
            cookie?: never;
        };
        /** @description Until when. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertAcknowledgement"];
            };
        };
        responses: {
            /** @description The alert. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listAuditEvent: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description What was done. */
                Kind?: "SignIn.Succeeded" | "SignIn.Failed" | "SignIn.Throttled" | "Failures.Omitted" | "SignOut" | "Session.Revoked" | "SecondFactor.Enrolled" | "SecondFactor.Removed" | "SecondFactor.Failed" | "Password.Changed" | "Password.Reset" | "PasswordReset.Created" | "RecoveryCodes.Replaced" | "Identity.Linked" | "Identity.Unlinked" | "Identity.LinkFailed" | "Consent.Given" | "Grant.Revoked" | "AuthorizationCode.Reused" | "Device.Allowed" | "Device.Denied" | "DeviceCode.Reused" | "RefreshToken.Reused" | "Token.Revoked" | "Token.Exchanged" | "ClientAuthentication.Failed" | "Client.Registered" | "RegistrationToken.Created" | "RegistrationToken.Deleted" | "RegistrationAccessToken.Created" | "RegistrationAccessToken.Deleted" | "Credentials.Changed" | "Credentials.Deleted" | "Secret.Created" | "Secret.Deleted" | "Logout.Redelivered" | "Access.Recovered" | "TenantSettings.Changed" | "Record.Created" | "Record.Changed" | "Record.Deleted" | "Policy.Created" | "Policy.Changed" | "Policy.Deleted" | "Role.Created" | "Role.Changed" | "Role.Deleted" | "IdentityProvider.Created" | "IdentityProvider.Changed" | "IdentityProvider.Deleted" | "WebhookConnection.Created" | "WebhookConnection.Changed" | "WebhookConnection.Deleted" | "WebhookEvent.Redelivered" | "WebhookConnection.Pinged" | "WebhookConnection.SecretStaged" | "WebhookConnection.SecretChanged" | "WebhookConnection.RotationEnded" | "Alert.Acknowledged" | "Redelivery.Created" | "Redelivery.Changed";
                /** @description What did it. */
                ActorType?: "User" | "Application";
                /** @description Who did it; needs ActorType. */
                ActorId?: string;
                /** @description What it was done to. */
                SubjectType?: "Application" | "User" | "Department" | "IdentityProvider" | "Api" | "Policy" | "Role" | "WebhookConnection" | "WebhookEvent" | "Redelivery";
                /** @description Whom or which it was done to; needs SubjectType. */
                SubjectId?: string;
                /** @description What the request with this RequestKey did. */
                RequestKey?: string;
                /** @description What somebody wanted, or what was refused. */
                Outcome?: "Success" | "Failure";
                /** @description Of the time until now. */
                Last?: string;
                /** @description At this time or later. */
                From?: string;
                /** @description Before this time. */
                To?: string;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["AuditEvent"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    exportAuditEvent: {
        parameters: {
            query?: {
                /** @description CSV unless given. */
                Format?: "CSV" | "NDJSON";
                /** @description What was done. */
                Kind?: "SignIn.Succeeded" | "SignIn.Failed" | "SignIn.Throttled" | "Failures.Omitted" | "SignOut" | "Session.Revoked" | "SecondFactor.Enrolled" | "SecondFactor.Removed" | "SecondFactor.Failed" | "Password.Changed" | "Password.Reset" | "PasswordReset.Created" | "RecoveryCodes.Replaced" | "Identity.Linked" | "Identity.Unlinked" | "Identity.LinkFailed" | "Consent.Given" | "Grant.Revoked" | "AuthorizationCode.Reused" | "Device.Allowed" | "Device.Denied" | "DeviceCode.Reused" | "RefreshToken.Reused" | "Token.Revoked" | "Token.Exchanged" | "ClientAuthentication.Failed" | "Client.Registered" | "RegistrationToken.Created" | "RegistrationToken.Deleted" | "RegistrationAccessToken.Created" | "RegistrationAccessToken.Deleted" | "Credentials.Changed" | "Credentials.Deleted" | "Secret.Created" | "Secret.Deleted" | "Logout.Redelivered" | "Access.Recovered" | "TenantSettings.Changed" | "Record.Created" | "Record.Changed" | "Record.Deleted" | "Policy.Created" | "Policy.Changed" | "Policy.Deleted" | "Role.Created" | "Role.Changed" | "Role.Deleted" | "IdentityProvider.Created" | "IdentityProvider.Changed" | "IdentityProvider.Deleted" | "WebhookConnection.Created" | "WebhookConnection.Changed" | "WebhookConnection.Deleted" | "WebhookEvent.Redelivered" | "WebhookConnection.Pinged" | "WebhookConnection.SecretStaged" | "WebhookConnection.SecretChanged" | "WebhookConnection.RotationEnded" | "Alert.Acknowledged" | "Redelivery.Created" | "Redelivery.Changed";
                /** @description What did it. */
                ActorType?: "User" | "Application";
                /** @description Who did it; needs ActorType. */
                ActorId?: string;
                /** @description What it was done to. */
                SubjectType?: "Application" | "User" | "Department" | "IdentityProvider" | "Api" | "Policy" | "Role" | "WebhookConnection" | "WebhookEvent" | "Redelivery";
                /** @description Whom or which it was done to; needs SubjectType. */
                SubjectId?: string;
                /** @description What the request with this RequestKey did. */
                RequestKey?: string;
                /** @description What somebody wanted, or what was refused. */
                Outcome?: "Success" | "Failure";
                /** @description Of the time until now. */
                Last?: string;
                /** @description At this time or later. */
                From?: string;
                /** @description Before this time. */
                To?: string;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, the newest row first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    getAuditEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The row's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The row. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEvent"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listRequest: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
                /** @description The class of its status. */
                Status?: "2xx" | "3xx" | "4xx" | "5xx";
                /** @description How it was asked. */
                Method?: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE";
                /** @description A part of the route, in any case. */
                Route?: string;
                /** @description The client that it came from. */
                ClientId?: string;
                /** @description Those with this RequestKey: a client may send the same with several. */
                RequestKey?: string;
                /** @description Of the time until now. */
                Last?: string;
                /** @description At this time or later. */
                From?: string;
                /** @description Before this time. */
                To?: string;
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Request"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    getRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The request's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Request"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Application's Id, which is its client_id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credentials. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credentials"];
                };
            };
            /** @description The record is what If-None-Match names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    postCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Application's Id, which is its client_id. */
                Id: string;
            };
            cookie?: never;
        };
        /** @description Absent fields are left alone, null sets one back. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialsData"];
            };
        };
        responses: {
            /** @description The credentials as they stand. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credentials"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    changeCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description ETags in their quotes, none of which the record may have; `*`: there must be no such record. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The Application's Id, which is its client_id. */
                Id: string;
            };
            cookie?: never;
        };
        /** @description Absent fields are left alone, null sets one back. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialsData"];
            };
        };
        responses: {
            /** @description The credentials as they stand. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credentials"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listSecrets: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Application's Id, which is its client_id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Secret"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    makeSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Application's Id, which is its client_id. */
                Id: string;
            };
            cookie?: never;
        };
        /** @description May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SecretData"];
            };
        };
        responses: {
            /** @description The secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewSecret"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deleteSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Application's Id, which is its client_id. */
                Id: string;
                /** @description The secret's Id. */
                SecretId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What it was, without the secret itself. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listRegistrationTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them, the newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["RegistrationToken"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    makeRegistrationToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RegistrationTokenData"];
            };
        };
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewRegistrationToken"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deleteRegistrationToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The token's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What it was, without the token itself. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationToken"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listRegistrationAccessTokens: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them, without the tokens themselves. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["RegistrationAccessToken"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    getRegistrationAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Application's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without the token itself. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationAccessToken"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    replaceRegistrationAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Application's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewRegistrationAccessToken"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    revokeRegistrationAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Application's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is left. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationAccessToken"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listLogouts: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Application's Id, which is its client_id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of logouts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Logout"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    getLogout: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Application's Id, which is its client_id. */
                Id: string;
                /** @description The logout's Id. */
                LogoutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The logout. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logout"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    redeliverLogout: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Application's Id, which is its client_id. */
                Id: string;
                /** @description The logout's Id. */
                LogoutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The logout. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logout"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listGrantsOfUser: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of grants. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Grant"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    listGrantsOfApplication: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The Application's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of grants. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Grant"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
    revokeGrant: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
                /** @description The Application's Id. */
                ApplicationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    makePasswordReset: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link, shown this once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordReset"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The second factor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactor"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    deleteSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactor"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listIdentities: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Identity"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    linkIdentity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
            };
            cookie?: never;
        };
        /** @description The account. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdentityData"];
            };
        };
        responses: {
            /** @description What is linked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    unlinkIdentity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
                /** @description The identity's Id. */
                IdentityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its last state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Records of a page, of those that the caller may read. */
                Limit?: components["parameters"]["Limit"];
                /** @description The Next of the page before, for the same caller, list and filters; empty: the first page. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["Session"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    endSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many there were. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedSessions"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The User's Id. */
                Id: string;
                /** @description The session's Id. */
                SessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its last state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    getTenantSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    changeTenantSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description What is to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TenantSettingsData"];
            };
        };
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
            400: components["responses"]["BadInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["DatabaseAway"];
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is absent or anything else. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Items: components["schemas"]["SigningKey"][];
                        /** @description The Cursor of the next page; null: nothing follows that the caller may read. One request looks at 2000 rows at most: where more in a row are hidden, a page has fewer than its Limit. */
                        Next: string | null;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Permission"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            /** @description The request has waited too long for its turn; the header Retry-After says when to ask again. Or: PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRecord"];
                };
            };
        };
    };
}
