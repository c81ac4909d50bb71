import type { Scope } from "../records/index.ts";

/** JSON Schema 2020-12. */
export type Schema = Record<string, unknown>;

export type Ref = { $ref: string };

export interface ParameterObject {
  name: string;
  in: "path" | "query" | "header";
  description: string;
  required?: boolean;
  /** An empty value counts as absent. */
  allowEmptyValue?: boolean;
  schema: Schema;
  examples?: Examples;
}

export type Examples = Record<string, { summary?: string; value: unknown } | Ref>;

export interface Content {
  schema: Schema;
  examples?: Examples;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, Ref>;
  content?: Record<string, Content>;
}

export interface RequestBody {
  description?: string;
  required: boolean;
  content: Record<string, Content>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, Scope[]>[];
  parameters?: (ParameterObject | Ref)[];
  requestBody?: RequestBody;
  responses: Record<string, ResponseObject | Ref>;
}

export type PathItem = Partial<Record<"get" | "post" | "put" | "patch" | "delete", Operation>> & { parameters?: Ref[] };

export interface Area {
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  schemas: Record<string, Schema>;
}

export function schemaRef(name: string): Ref {
  return { $ref: `#/components/schemas/${name}` };
}

export function headersOf(names: string[]): Record<string, Ref> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
