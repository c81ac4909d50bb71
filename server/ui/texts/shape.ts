// The types of texts: each language has the keys and variables of the English one.

type VariablesOf<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | VariablesOf<Rest> : never;

/** A text with these variables. */
export type TextWith<Name extends string = never> = string & { readonly variables?: Name };

/** The forms of a text with the variable `count`, by Intl.PluralRules. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** The same keys and variables in another language: one that lacks a key is a type error. */
export type TextsOf<Group> = {
  readonly [Key in keyof Group]: Group[Key] extends string
    ? TextWith<VariablesOf<Group[Key]>>
    : Group[Key] extends { other: string }
      ? Plural
      : TextsOf<Group[Key]>;
};
