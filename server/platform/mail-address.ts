export const MAX_MAIL_ADDRESS = 254;
const ADDRESS = /^[^\s\p{Cc}\p{Cf}\p{Cs}"(),:;<>@[\\\]]{1,64}@([\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?)$/u;

/**
 * Whether it is one address without a name, comment or quoted part, so it cannot add a header or a recipient. It looks as
 * it is: nothing in it is invisible or reverses text, and no letter of its domain is another form of one.
 */
export function isMailAddress(text: string): boolean {
  if (text.length > MAX_MAIL_ADDRESS || /^\.|\.\.|\.@/.test(text)) return false;
  const [, domain] = ADDRESS.exec(text) ?? [];
  return domain !== undefined && domain.normalize("NFKC") === domain;
}
