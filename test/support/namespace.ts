// A test's own Temporal namespace on the shared Temporal server.

import { Connection } from "@temporalio/client";
import { temporal } from "@temporalio/proto";
import { SEARCH_ATTRIBUTES } from "../../workflows/contract.ts";
import { until } from "./api.ts";
import { setting } from "./tenant.ts";

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_KEYWORD_LIST } = temporal.api.enums.v1.IndexedValueType;
const TYPES = { KEYWORD: INDEXED_VALUE_TYPE_KEYWORD, KEYWORD_LIST: INDEXED_VALUE_TYPE_KEYWORD_LIST };
const DAY_SECONDS = 86_400;

export interface Namespace extends AsyncDisposable {
  name: string;
  /** By the command in docs/operations.md; before, the namespace has none. */
  addSearchAttributes(): Promise<void>;
}

export async function newNamespace(): Promise<Namespace> {
  const name = `test-${Bun.randomUUIDv7()}`;
  const connection = await Connection.connect({ address: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS") });
  const { workflowService, operatorService } = connection;
  await workflowService.registerNamespace({
    namespace: name,
    workflowExecutionRetentionPeriod: { seconds: DAY_SECONDS as never },
  });
  await until("the namespace", () =>
    workflowService.describeNamespace({ namespace: name }).then(
      () => true,
      () => false,
    ),
  );
  return {
    name,
    async addSearchAttributes() {
      const searchAttributes = Object.fromEntries(
        Object.entries(SEARCH_ATTRIBUTES).map(([attribute, type]) => [attribute, TYPES[type]]),
      );
      await operatorService.addSearchAttributes({ namespace: name, searchAttributes });
    },
    async [Symbol.asyncDispose]() {
      await connection.close();
    },
  };
}
