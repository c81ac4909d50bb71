// Requirements of `start` and the workers on a Temporal cluster.

import type { OperatorService, WorkflowService } from "@temporalio/client";
import { temporal } from "@temporalio/proto";
import { SEARCH_ATTRIBUTES } from "../../../workflows/contract.ts";
import type { TemporalConfig } from "../config/temporal.ts";
import { CannotStart } from "../errors.ts";

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_KEYWORD_LIST } = temporal.api.enums.v1.IndexedValueType;
/** A type's name in Temporal's commands, and its number in the protocol. */
const TYPES = {
  KEYWORD: { type: "Keyword", number: INDEXED_VALUE_TYPE_KEYWORD },
  KEYWORD_LIST: { type: "KeywordList", number: INDEXED_VALUE_TYPE_KEYWORD_LIST },
};

/** The search attributes of deliveries in the Temporal UI. */
export const CLUSTER_ATTRIBUTES = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => ({ name, ...TYPES[type] }));

/** gRPC codes. */
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;
const UNAUTHENTICATED = 16;
/** Messages of the SDK's native part, which has no codes. A proxy answers 400 to a missing or unknown certificate. */
const REJECTED = /valid authentication credentials|HTTP status code 400|status: 400/;
const PLAIN = /InvalidContentType/;
const UNTRUSTED = /InvalidCertificate|unable to verify|self[- ]signed certificate|altnames/;

/** A cluster's description of itself; a managed one hides some of it. */
export interface ClusterFacts {
  temporalVersion?: string;
  historyShards?: number;
  /** Milliseconds for which the namespace keeps ended workflows. */
  retention?: number;
}

/** @throws CannotStart if the cluster rejects the credentials or lacks the namespace */
export async function requireCluster(
  { workflowService }: { workflowService: WorkflowService },
  config: TemporalConfig,
): Promise<ClusterFacts> {
  const { namespace } = config;
  const described = await allowed(config, () => workflowService.describeNamespace({ namespace }));
  // A client may use a namespace that it may not describe.
  if (!described) await requireAccess(workflowService, config);
  const cluster = await allowed(config, () => workflowService.getClusterInfo({}));
  const seconds = described?.config?.workflowExecutionRetentionTtl?.seconds;
  return {
    ...(cluster?.serverVersion && { temporalVersion: cluster.serverVersion }),
    ...(cluster?.historyShardCount && { historyShards: cluster.historyShardCount }),
    ...(seconds && { retention: Number(seconds) * 1_000 }),
  };
}

/**
 * @returns false if the cluster does not list its search attributes, which are then assumed to exist
 * @throws CannotStart naming missing ones and the command to add them
 */
export async function requireSearchAttributes(
  { operatorService }: { operatorService: OperatorService },
  config: TemporalConfig,
): Promise<boolean> {
  const { namespace } = config;
  const listed = await allowed(config, () => operatorService.listSearchAttributes({ namespace }));
  if (listed) requireAttributes(listed.customAttributes ?? {}, config);
  return listed !== undefined;
}

/** @returns undefined if the cluster hides the answer */
async function allowed<T>(config: TemporalConfig, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === PERMISSION_DENIED || code === UNIMPLEMENTED) return undefined;
    throw explained(error as Error, config);
  }
}

async function requireAccess(service: WorkflowService, config: TemporalConfig): Promise<void> {
  try {
    await service.countWorkflowExecutions({ namespace: config.namespace });
  } catch (error) {
    if ((error as { code?: number }).code !== PERMISSION_DENIED) throw explained(error as Error, config);
    throw new CannotStart(
      `Temporal at ${config.address} denies access to the namespace "${config.namespace}". ` +
        `Set TEMPORAL_NAMESPACE to one that ${credential(config)} may use, or permit it there.`,
    );
  }
}

/** CannotStart for failures that only other settings can mend. */
export function explained(error: Error, config: TemporalConfig): Error {
  const { address, namespace } = config;
  const { code, message } = causeOf(error);
  if (code === NOT_FOUND) {
    return new CannotStart(
      `Temporal at ${address} has no namespace "${namespace}". Create it, or set TEMPORAL_NAMESPACE to an existing one:\n` +
        `  temporal operator namespace create --address ${address} --namespace ${namespace} --retention 7d`,
    );
  }
  if (code === UNAUTHENTICATED || REJECTED.test(message)) {
    return new CannotStart(`Temporal at ${address} rejects ${credential(config)}.`);
  }
  if (PLAIN.test(message)) {
    return new CannotStart(
      `Temporal at ${address} does not use TLS. Set TEMPORAL_TLS to false, or TEMPORAL_ADDRESS to its port with TLS.`,
    );
  }
  if (UNTRUSTED.test(message)) {
    return new CannotStart(
      `The certificate of Temporal at ${address} is not valid (${message}). ` +
        "Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to its authority, and TEMPORAL_TLS_SERVER_NAME to its name.",
    );
  }
  return error;
}

/** The SDK wraps some errors of gRPC. */
function causeOf(error: Error): Error & { code?: number } {
  const own = error as Error & { code?: number };
  return own.code === undefined && own.cause instanceof Error ? causeOf(own.cause) : own;
}

function credential({ connection: { apiKey, tls } }: TemporalConfig): string {
  if (apiKey !== undefined) return "TEMPORAL_API_KEY";
  if (typeof tls === "object" && tls?.clientCertPair) return "the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH";
  return "a client without TEMPORAL_API_KEY or TEMPORAL_TLS_CLIENT_CERT_PATH";
}

function requireAttributes(present: Record<string, unknown>, { namespace, address }: TemporalConfig): void {
  const wrong = CLUSTER_ATTRIBUTES.filter(({ name, number }) => present[name] !== number);
  if (wrong.length === 0) return;
  const place = `The Temporal namespace "${namespace}" at ${address}`;
  const typed = (attributes: typeof wrong) => attributes.map(({ name, type }) => `${name} (${type})`).join(", ");
  const others = wrong.filter(({ name }) => present[name] !== undefined);
  if (others.length > 0) {
    throw new CannotStart(
      `${place} has search attributes with our names and other types than ${typed(others)}. ` +
        "Set TEMPORAL_NAMESPACE to a namespace that only Gatehouse uses.",
    );
  }
  const flags = wrong.map(({ name, type }) => `--name ${name} --type ${type}`).join(" ");
  throw new CannotStart(
    `${place} lacks the search attributes ${typed(wrong)}. Add them with:\n` +
      `  temporal operator search-attribute create --address ${address} --namespace ${namespace} ${flags}`,
  );
}
