export const MAX_MAIL_ADDRESS = 254;
const ADDRESS = /^[^\s\p{Cc}"(),:;<>@[\\\]]{1,64}@[\p{L}\p{N}]([\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u;

/** Whether it is one address without a name, comment or quoted part, so it cannot add a header or a recipient. */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_MAIL_ADDRESS && ADDRESS.test(text) && !/^\.|\.\.|\.@/.test(text);
}
