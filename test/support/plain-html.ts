// The accessible elements of a page: role, name, value.

const BLOCKS = /^(td|th|tr|div|p|li|dt|dd|h\d|section|legend|caption|br|summary|pre|ul|ol|table|form|figure)$/;
const NAMED_BY_CONTENT = ["button", "link", "heading", "row", "rowheader", "columnheader", "cell", "option"];
const UNSEEN = ["script", "style", "template", "head", "title"];

/** Roles of elements without an attribute for it. */
const ROLES: Record<string, string> = {
  ...{ button: "button", h1: "heading", h2: "heading", h3: "heading", h4: "heading", li: "listitem", ul: "list" },
  ...{ ol: "list", tr: "row", td: "cell", table: "table", nav: "navigation", main: "main", section: "region" },
  ...{ fieldset: "group", details: "group", textarea: "textbox", option: "option", output: "status", img: "img" },
  ...{ dialog: "dialog", form: "form" },
};
const INPUT_ROLES: Record<string, string> = {
  ...{ checkbox: "checkbox", radio: "radio", submit: "button", button: "button", search: "searchbox", hidden: "" },
  ...{ number: "spinbutton", password: "" },
};

export class Element {
  readonly children: (Element | string)[] = [];
  /** For a dialog. */
  isOpen = false;
  private typed: string | undefined;
  private chosen: boolean | undefined;

  constructor(
    readonly tag: string,
    private readonly attributes: Map<string, string>,
    readonly parent: Element | undefined,
  ) {}

  get root(): Element {
    return this.parent?.root ?? this;
  }

  get elements(): Element[] {
    return this.children.filter((one) => one instanceof Element);
  }

  below(): Element[] {
    return this.elements.flatMap((one) => [one, ...one.below()]);
  }

  closest(tag: string): Element | undefined {
    return this.tag === tag ? this : this.parent?.closest(tag);
  }

  /** The names of its attributes. */
  get names(): string[] {
    return [...this.attributes.keys()];
  }

  has(name: string): boolean {
    return this.attributes.has(name);
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  /** All of its text, unchanged. */
  get content(): string {
    const text = this.children.map((one) => (typeof one === "string" ? decoded(one) : one.content)).join("");
    return /^(pre|textarea)$/.test(this.tag) ? text.replace(/^\n/, "") : text;
  }

  /** The readable text in one line. */
  get text(): string {
    return inOneLine(this.content);
  }

  /** Whether its own text is visible. */
  get isText(): boolean {
    return !UNSEEN.some((tag) => this.closest(tag));
  }

  get isShown(): boolean {
    if (this.has("hidden") || UNSEEN.includes(this.tag)) return false;
    if (this.role === "dialog" && !this.isOpen) return false;
    return this.parent?.isShown ?? true;
  }

  get isDisabled(): boolean {
    return this.has("disabled") || (this.closest("fieldset")?.has("disabled") ?? false);
  }

  get role(): string {
    const given = this.getAttribute("role");
    if (given) return given;
    if (this.tag === "a") return this.has("href") ? "link" : "";
    if (this.tag === "th") return this.getAttribute("scope") === "row" ? "rowheader" : "columnheader";
    if (this.tag === "select") return this.has("multiple") ? "listbox" : "combobox";
    if (this.tag !== "input") return ROLES[this.tag] ?? "";
    if (this.has("list")) return "combobox";
    return INPUT_ROLES[this.getAttribute("type") ?? "text"] ?? "textbox";
  }

  get name(): string {
    const given = this.getAttribute("aria-label") ?? this.labelledBy;
    if (given !== undefined) return inOneLine(given);
    const [label] = this.labels;
    if (label !== undefined) return label;
    const title = this.elements.find(({ tag }) => tag === "legend" || tag === "caption" || tag === "figcaption");
    if (title) return title.text;
    if (NAMED_BY_CONTENT.includes(this.role)) return inOneLine(this.spoken());
    return this.getAttribute("alt") ?? this.getAttribute("title") ?? "";
  }

  private get labelledBy(): string | undefined {
    const ids = this.getAttribute("aria-labelledby")?.split(" ");
    return ids?.map((id) => this.root.withId(id)?.text ?? "").join(" ");
  }

  withId(id: string): Element | undefined {
    return this.below().find((one) => one.getAttribute("id") === id);
  }

  /** Its part of an accessible name. */
  private spoken(): string {
    if (this.getAttribute("aria-hidden") === "true" || !this.isShown) return "";
    const own = this.getAttribute("aria-label") ?? this.getAttribute("alt");
    if (own !== null && !NAMED_BY_CONTENT.slice(3).includes(this.role)) return own;
    const text = this.children.map((one) => (typeof one === "string" ? decoded(one) : one.spoken())).join("");
    return BLOCKS.test(this.tag) ? ` ${text} ` : text;
  }

  /** The labels of a field. */
  get labels(): string[] {
    const given = this.getAttribute("aria-label");
    if (!/^(input|select|textarea)$/.test(this.tag)) return given && this.role ? [inOneLine(given)] : [];
    const labels = this.root.below().filter((one) => one.tag === "label" && one.labelled === this);
    return given ? [inOneLine(given)] : labels.map(({ text }) => text);
  }

  /** The field of a label. */
  get labelled(): Element | undefined {
    const id = this.getAttribute("for");
    return id ? this.root.withId(id) : this.below().find(({ tag }) => /^(input|select|textarea)$/.test(tag));
  }

  get isCheckable(): boolean {
    return this.tag === "input" && ["checkbox", "radio"].includes(this.getAttribute("type") ?? "");
  }

  /** For a checkbox, a radio button or an option. */
  get isChecked(): boolean {
    return this.chosen ?? (this.has("checked") || this.has("selected"));
  }

  set isChecked(value: boolean) {
    this.chosen = value;
  }

  get value(): string {
    if (this.typed !== undefined) return this.typed;
    if (this.tag === "textarea") return this.content;
    if (this.tag === "option") return this.getAttribute("value") ?? this.text;
    if (this.tag === "select") {
      const options = this.below().filter(({ tag }) => tag === "option");
      return (options.findLast((one) => one.isChecked) ?? options[0])?.value ?? "";
    }
    return this.getAttribute("value") ?? (this.isCheckable ? "on" : "");
  }

  set value(text: string) {
    this.typed = text;
  }
}

/** The order of a page's elements in its HTML, by which a selector's results are mapped to elements. */
const sources = new WeakMap<Element, { html: string; inOrder: Element[] }>();

export function parse(page: string): Element {
  // Without script, their content is shown.
  const html = page.replaceAll(/<\/?noscript>/g, "");
  const root = new Element("#document", new Map(), undefined);
  const inOrder: Element[] = [];
  let at = root;
  new HTMLRewriter()
    .onDocument({
      text: ({ text }) => {
        const { children } = at;
        if (typeof children.at(-1) === "string") children.push(children.pop() + text);
        else children.push(text);
      },
    })
    .on("*", {
      element(found) {
        const attributes = [...found.attributes].map(([name, value]) => [name!, decoded(value!)] as const);
        const element = new Element(found.tagName, new Map(attributes), at);
        at.children.push(element);
        inOrder.push(element);
        if (!found.canHaveContent) return;
        at = element;
        found.onEndTag(() => {
          at = element.parent!;
        });
      },
    })
    .transform(html);
  sources.set(root, { html, inOrder });
  return root;
}

export function select(root: Element, css: string): Set<Element> {
  const { html, inOrder } = sources.get(root)!;
  const found = new Set<Element>();
  let index = -1;
  const count = () => {
    index++;
  };
  const rewriter = new HTMLRewriter().on("*", { element: count });
  rewriter.on(css, { element: () => void found.add(inOrder[index]!) }).transform(html);
  return found;
}

const inOneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** HTMLRewriter returns texts undecoded. */
function decoded(text: string): string {
  return text.replaceAll(/&(#x?[\da-f]+|\w+);/gi, (whole, name: string) => {
    if (name.startsWith("#")) return String.fromCodePoint(Number(name.replace("#", "").replace(/^x/i, "0x")));
    return ENTITIES[name] ?? whole;
  });
}
