// Clients with a metadata document. The first authorization request creates the client, later ones update it. The token
// endpoint uses the stored client.

import type { Logger } from "pino";
import type { Sql } from "../../../platform/db/sql.ts";
import type { CheckUrl, EgressFetch } from "../../../platform/egress/index.ts";
import { BadInput } from "../../../platform/errors.ts";
import { clientNetwork } from "../../../platform/http/context.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type Access, originOf, ownRecords, recordAudit } from "../../../records/index.ts";
import { lockScopesOfApis } from "../apis/store.ts";
import { findCeiling } from "../clients/ceilings.store.ts";
import { defaultsOf } from "../clients/credential-rules.ts";
import { findCredentials, isDocumentUrl, lockApplication, saveCredentials } from "../clients/store.ts";
import { TokenError } from "../errors.ts";
import { shownWithin } from "./ceiling.ts";
import {
  type ClientDocument,
  claimDocument,
  dropDocument,
  findDocument,
  findTenantOfDocuments,
  noteDocument,
} from "./documents.store.ts";
import { readMetadata } from "./metadata.ts";
import { fetchDocument, metadataOf, NoAnswer, NoDocument, type ReadDocument } from "./metadata-document.ts";
import { admitStranger, type RegistrationLimits, requireRoom, saveChange, scopesFor } from "./service.ts";
import { insertRegistered, lockRules } from "./store.ts";

/** Minimum seconds between two requests for a client's document. */
const RETRY_SECONDS = 30;
/** Seconds for which the stored client is used while its document cannot be read. */
const STALE_SECONDS = 86_400;

/** No effect on other client_ids, or if no tenant allows such clients. @throws BadInput with a reason; ApiError 429 */
export type RefreshClient = (request: Request, clientId: string | undefined) => Promise<void>;

interface ClientDocumentsDependencies {
  sql: Sql;
  access: Pick<Access, "forget" | "namedByPolicies">;
  fetch: EgressFetch;
  checkUrl: CheckUrl;
  log: Pick<Logger, "warn">;
  limits: RegistrationLimits;
}

export function createRefreshClient(deps: ClientDocumentsDependencies): RefreshClient {
  const { sql, access, fetch, checkUrl, log, limits } = deps;
  // Documents are public, so a certificate's name in one proves nothing.
  const possible = { checkUrl, takesCertificates: false };
  /** Concurrent requests share one fetch of the document. */
  const underWay = new Map<string, Promise<void>>();

  async function refresh(request: Request, url: string): Promise<void> {
    const known = await findDocument(sql, url, STALE_SECONDS);
    if (known?.isFresh) return;
    const tenantId = known ? known.tenantId : await findTenantOfDocuments(sql);
    if (!tenantId || known?.isOff || checkUrl(url)) return;
    if (known) {
      if (!(await claimDocument(sql, tenantId, known.applicationId, RETRY_SECONDS))) return requireKept(known);
    } else {
      const network = clientNetwork(request);
      await requireRoom(sql, tenantId, network, limits);
      await sql.beginFor(tenantId, async (tx) => {
        await lockRules(tx, tenantId);
        await admitStranger(tx, tenantId, network, limits);
      });
    }
    try {
      const read = await fetchDocument(fetch, tenantId, url);
      await (known ? change(request, url, known, read) : register(request, url, tenantId, read));
    } catch (error) {
      const isWrong = error instanceof TokenError || error instanceof NoDocument;
      if (!(error instanceof NoAnswer || isWrong)) throw error;
      log.warn({ tenantId, url, reason: error.message }, "a client ID metadata document was rejected");
      if (isWrong) {
        if (known) await dropDocument(sql, tenantId, known.applicationId);
        if (error instanceof NoDocument) throw unread(url);
        throw new BadInput(`The document of the application at ${url}: ${error.message}`);
      }
      if (!known) throw unread(url);
      requireKept(known);
    }
  }

  async function register(request: Request, url: string, tenantId: TenantId, { document, fresh }: ReadDocument) {
    await sql.beginFor(tenantId, async (tx) => {
      const ofApis = await lockScopesOfApis(tx, tenantId);
      const rules = await lockRules(tx, tenantId);
      // A concurrent process may have created it.
      if (rules.documents === "Off" || (await findDocument(tx, url, STALE_SECONDS))) return;
      const scopes = scopesFor(rules, ofApis, true);
      const bounds = { isOpen: true, scopes, standardScopes: scopes };
      const before = defaultsOf("confidential");
      const sent = metadataOf(document, url, checkUrl);
      const { credentials, name, webSite } = readMetadata(sent, before, bounds, possible, undefined);
      const { id: applicationId } = await ownRecords.makeOwnApplication(tx, tenantId, { name, webSite });
      await saveCredentials(tx, tenantId, applicationId, credentials);
      // Only its document can change it.
      await insertRegistered(tx, tenantId, { applicationId, digest: null, isOpen: true });
      await noteDocument(tx, tenantId, applicationId, url, fresh);
      await recordAudit(tx, tenantId, originOf(request, { clientId: String(applicationId) }), {
        kind: "Client.Registered",
        subject: { type: "Application", id: applicationId },
        details: { RegistrationTokenId: null, DocumentUrl: url, Scopes: credentials.scopes },
      });
    });
  }

  /** After creation, only an administrator changes its permissions. */
  async function change(request: Request, url: string, known: ClientDocument, { document, fresh }: ReadDocument) {
    const { tenantId, applicationId } = known;
    await sql.beginFor(tenantId, async (tx) => {
      if (!(await lockApplication(tx, tenantId, applicationId))) return;
      const before = (await findCredentials(tx, tenantId, applicationId))!;
      const bounds = { isOpen: true, scopes: before.scopes, standardScopes: before.scopes, grants: before.grantTypes };
      const ceiling = await findCeiling(tx, tenantId, applicationId, await access.namedByPolicies(tx, tenantId));
      const sent = { ...metadataOf(document, url, checkUrl), scope: undefined };
      const read = readMetadata(sent, before, bounds, possible, undefined, ceiling);
      const { credentials } = read;
      await ownRecords.changeOwnApplication(tx, tenantId, applicationId, shownWithin(read, ceiling));
      await noteDocument(tx, tenantId, applicationId, url, fresh);
      const origin = originOf(request, { clientId: String(applicationId) });
      await saveChange(tx, tenantId, origin, applicationId, before, credentials);
    });
    access.forget(tenantId);
  }

  return async (request, clientId) => {
    if (clientId === undefined || !isDocumentUrl(clientId)) return;
    const waiting = underWay.get(clientId);
    if (waiting) return waiting;
    const work = refresh(request, clientId).finally(() => underWay.delete(clientId));
    underWay.set(clientId, work);
    await work;
  };
}

function requireKept({ isKept, url }: ClientDocument): void {
  if (!isKept) throw unread(url);
}

/** One text for every failure, because the requester chose the address and must not probe the network. */
function unread(url: string): BadInput {
  return new BadInput(
    `The document of the application at ${url} cannot be read, or its client_id is not this address. Try again in a minute.`,
  );
}
