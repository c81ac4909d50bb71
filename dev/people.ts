// The demo tenant's users after seeding.

export interface Person {
  username: string;
  name: string;
  department: string;
  /** Users without a role cannot sign in to Settings. */
  role?: "editor" | "auditor";
}

/** The password of all users. It is public, so never use it elsewhere. */
export const PASSWORD = "only for development 8443";

export const DEPARTMENTS = ["Finance", "Support", "Engineering", "Warehouse"];

export const PEOPLE: Person[] = [
  { username: "ana", name: "Ana Silva", department: "Finance", role: "editor" },
  { username: "ben", name: "Ben Okafor", department: "Support", role: "auditor" },
  { username: "chloe", name: "Chloé Martin", department: "Engineering" },
  { username: "dmitri", name: "Dmitri Ivanov", department: "Engineering" },
  { username: "emi", name: "Emi Tanaka", department: "Warehouse" },
  { username: "farah", name: "Farah Haddad", department: "Support" },
];
