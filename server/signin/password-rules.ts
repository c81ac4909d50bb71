// What a password has to be, by NIST SP 800-63B 5.1.1.2: long enough, and none that everybody tries first. Which
// characters it is of is its owner's business.

/** Characters, as people count them. */
export const PASSWORD_LENGTH = { least: 8, most: 256 };

/** Of the user, so that the password is not what stands on the door. */
export interface PasswordOwner {
  username: string;
  name: string;
}

const SERVICE = "gatehouse";
let common: Promise<Set<string>> | undefined;

/** @returns why a new password is refused, in words; undefined if it is good */
export async function passwordProblem(
  password: string,
  { username, name }: PasswordOwner,
): Promise<string | undefined> {
  const length = [...password.normalize("NFC")].length;
  if (length < PASSWORD_LENGTH.least) return `A password has at least ${PASSWORD_LENGTH.least} characters.`;
  if (length > PASSWORD_LENGTH.most) return `A password has at most ${PASSWORD_LENGTH.most} characters.`;
  const plain = password.toLowerCase();
  common ??= readCommon();
  if ((await common).has(plain)) return "This password is one of those that are tried first. Choose another.";
  // "ana2026!" is ana's first idea, and everybody else's.
  const word = plain.replace(/[^\p{L}]+$/u, "");
  const near = [SERVICE, ...[username, name].map((text) => text.toLowerCase())].filter(Boolean);
  if (near.includes(plain) || near.includes(word)) return "This password is too close to your name. Choose another.";
  return undefined;
}

/** Only when a password is chosen: to unpack the dictionaries is a tenth of what a process needs to start. */
async function readCommon(): Promise<Set<string>> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return new Set(dictionary["passwords-common"]);
}
