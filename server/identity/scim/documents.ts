// The service's configuration, types of resources and schemas (RFC 7643 5 to 7).

import { GROUP_SCHEMA } from "./groups.ts";
import { ENTERPRISE_SCHEMA, USER_SCHEMA } from "./users.ts";

export const MAX_RESULTS = 200;

const of = (name: string) => [`urn:ietf:params:scim:schemas:core:2.0:${name}`];
const unsupported = { supported: false };

const configuration = (base: string) => ({
  schemas: of("ServiceProviderConfig"),
  patch: { supported: true },
  bulk: { ...unsupported, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: unsupported,
  sort: unsupported,
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "OAuth Bearer Token",
      description: "An access token of a client, or client_id.client_secret.",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});

const resourceTypes = (base: string) =>
  [
    { name: "User", schema: USER_SCHEMA, schemaExtensions: [{ schema: ENTERPRISE_SCHEMA, required: false }] },
    { name: "Group", schema: GROUP_SCHEMA },
  ].map((type) => ({
    schemas: of("ResourceType"),
    id: type.name,
    endpoint: `/${type.name}s`,
    ...type,
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${type.name}` },
  }));

const attribute = (name: string, description: string, more: object = {}) => ({
  name,
  description,
  type: "string",
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...more,
});
const parts = (...subAttributes: object[]) => ({ type: "complex", subAttributes });
const valued = (type: string) => ({
  ...parts(
    attribute("value", "The value."),
    attribute("type", `Always ${type}: there is one value.`, { canonicalValues: [type] }),
  ),
  multiValued: true,
});
const externalId = attribute("externalId", "Its identifier in the directory.", {
  caseExact: true,
  uniqueness: "server",
});

const schemas = (base: string) =>
  [
    {
      id: USER_SCHEMA,
      name: "User",
      description: "A person who can sign in.",
      attributes: [
        attribute("userName", "Login name.", { required: true, uniqueness: "server" }),
        externalId,
        attribute(
          "name",
          "Parts of the name.",
          parts(
            attribute("formatted", "The same as displayName."),
            attribute("givenName", "Given name."),
            attribute("familyName", "Family name."),
            attribute("middleName", "Middle name."),
          ),
        ),
        attribute("displayName", "Full name."),
        attribute("nickName", "Casual name."),
        attribute("profileUrl", "Address of a page about the person.", {
          type: "reference",
          referenceTypes: ["external"],
        }),
        attribute("locale", "Language and region."),
        attribute("timezone", "Time zone."),
        attribute("emails", "One e-mail address.", valued("work")),
        attribute("phoneNumbers", "One mobile number.", valued("mobile")),
        attribute("active", "Inactive users cannot sign in.", { type: "boolean" }),
      ],
    },
    {
      id: ENTERPRISE_SCHEMA,
      name: "EnterpriseUser",
      description: "Where the person works.",
      attributes: [attribute("department", "The name of the Department; a new one is made.")],
    },
    {
      id: GROUP_SCHEMA,
      name: "Group",
      description: "Users, and groups of users.",
      attributes: [
        attribute("displayName", "Name.", { required: true, uniqueness: "server" }),
        externalId,
        attribute("members", "Users and Groups.", {
          ...parts(
            attribute("value", "The id of a User or Group.", { mutability: "immutable" }),
            attribute("$ref", "Its address.", {
              type: "reference",
              mutability: "immutable",
              referenceTypes: ["User", "Group"],
            }),
            attribute("type", "User or Group.", { mutability: "immutable", canonicalValues: ["User", "Group"] }),
          ),
          multiValued: true,
        }),
      ],
    },
  ].map((schema) => ({
    schemas: of("Schema"),
    ...schema,
    meta: { resourceType: "Schema", location: `${base}/Schemas/${schema.id}` },
  }));

const DOCUMENTS = ["ServiceProviderConfig", "ResourceTypes", "Schemas"];

export const isDocument = (kind: string) => DOCUMENTS.includes(kind);

/** One of the documents, or a list of them. @param kind the path's first part */
export function documentAt(base: string, kind: string, id: string | undefined): object | undefined {
  if (kind === "ServiceProviderConfig") return id === undefined ? configuration(base) : undefined;
  const all: { id: string }[] | undefined =
    kind === "ResourceTypes" ? resourceTypes(base) : kind === "Schemas" ? schemas(base) : undefined;
  if (!all || id !== undefined) return all?.find((one) => one.id === decodeURIComponent(id!));
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: all.length,
    startIndex: 1,
    itemsPerPage: all.length,
    Resources: all,
  };
}
