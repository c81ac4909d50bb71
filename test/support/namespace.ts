// A test's own Temporal namespace on the shared Temporal server.

import { Connection } from "@temporalio/client";
import { temporal } from "@temporalio/proto";
import { SEARCH_ATTRIBUTES } from "../../workflows/contract.ts";
import { until } from "../world/api.ts";
import { setting } from "../world/tenant.ts";

const types = temporal.api.enums.v1.IndexedValueType;
const TYPES = {
  KEYWORD: types.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: types.INDEXED_VALUE_TYPE_KEYWORD_LIST,
  INT: types.INDEXED_VALUE_TYPE_INT,
};
type Attributes = Record<string, keyof typeof TYPES>;
const DAY_SECONDS = 86_400;

export interface Namespace extends AsyncDisposable {
  name: string;
  /** Before, the namespace has none. @param attributes default: those of the command in docs/operations.md */
  addSearchAttributes(attributes?: Attributes): Promise<void>;
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
    async addSearchAttributes(attributes = SEARCH_ATTRIBUTES) {
      const searchAttributes = Object.fromEntries(
        Object.entries<keyof typeof TYPES>(attributes).map(([attribute, type]) => [attribute, TYPES[type]]),
      );
      await operatorService.addSearchAttributes({ namespace: name, searchAttributes });
    },
    async [Symbol.asyncDispose]() {
      await connection.close();
    },
  };
}
