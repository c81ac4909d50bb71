/** Where the entity API stands (SPEC.md Versioning). */
export const API_PATH = "/Endpoint/rest/api/v1";
