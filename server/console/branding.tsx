// The face of the organisation's sign-in pages and mails: a preview before it is saved, and former versions.

import { tenants } from "../identity/index.ts";
import { NotFound } from "../platform/errors.ts";
import {
  askColumn,
  attribute,
  ButtonLink,
  bodyOf,
  type Column,
  ContractFields,
  Facts,
  Form,
  type FormState,
  formOf,
  formOfRecord,
  Hidden,
  ListSection,
  labelsOf,
  refusedForm,
  Section,
  SelectField,
  Submit,
  Text,
  Time,
  texts,
} from "../ui/index.ts";
import { mailsPage } from "./branding-mails.tsx";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "./page.tsx";
import type { Visit } from "./visit.ts";

const BRANDING = "/settings/branding";
const { TENANT_SETTINGS, BRANDING_NAMES: NAMES, IMAGE_NAMES: IMAGES } = tenants;
const LABELS = labelsOf(TENANT_SETTINGS);
const TEXTS = NAMES.filter((name) => !(IMAGES as readonly string[]).includes(name));

const LANGUAGES = texts.LANGUAGE_CODES.map((value) => ({ value, label: texts.LANGUAGES[value] }));

type Version = Awaited<ReturnType<ConsoleServices["ownTenant"]["brandings"]>>["Items"][number];

export function brandingPages(deps: ConsoleServices): ConsolePage[] {
  return [
    {
      path: BRANDING,
      area: "Branding",
      GET: { needs: ["Settings:Read"], answer: (visit) => brandingPage(deps, visit) },
      POST: { needs: ["Settings:Read", "Settings:Update"], takesFiles: true, answer: (visit) => change(deps, visit) },
    },
    confirming({
      path: `${BRANDING}/restore`,
      needs: ["Settings:Read", "Settings:Update"],
      async ask(visit) {
        const { Items } = await deps.ownTenant.brandings(visit.permitted("Settings:Read"));
        const version = Items.find(({ Number: number }) => String(number) === visit.form.get("Number"));
        if (!version) throw new NotFound("Version not found. The last 20 are kept.");
        return askToRestore(version);
      },
      async act(visit) {
        const number = visit.form.get("Number") ?? "";
        await deps.ownTenant.restore(visit.permitted("Settings:Update"), number);
        return visit.goTo(BRANDING, `Version ${number} is restored.`);
      },
    }),
  ];
}

async function brandingPage(
  deps: ConsoleServices,
  visit: Visit,
  { state, previews = [] }: { state?: FormState; previews?: tenants.PreviewedPage[] } = {},
): Promise<View> {
  const caller = visit.permitted("Settings:Read");
  const record: Record<string, unknown> = { ...(await deps.ownTenant.read(caller)) };
  const mayChange = visit.may("Settings:Update", TENANT_SETTINGS.name, { ...record, Id: caller.tenantId });
  const { Items } = await deps.ownTenant.brandings(caller);
  const shown = state ?? formOfRecord(TENANT_SETTINGS, NAMES, record);
  return {
    title: "Branding",
    status: state && previews.length === 0 ? 422 : 200,
    lead: (
      <p class="fine">
        The pages where people sign in, and the <a href={visit.href("/settings/mail/preview")}>mails</a>. The address of
        your own sign-in page is{" "}
        <code safe>{`${deps.publicUrl}/signin/${encodeURIComponent(String(record.Name ?? ""))}`}</code>
      </p>
    ),
    body: (
      <>
        {mayChange ? (
          <BrandingForm visit={visit} state={shown} />
        ) : (
          <Facts facts={TEXTS.map((name) => [LABELS[name]!, <Text text={String(record[name] ?? "")} />])} />
        )}
        {previews.length > 0 ? <Previews previews={previews} /> : ""}
        <ListSection
          title="Versions"
          id="versions"
          columns={columns(visit, mayChange)}
          rows={Items}
          none="Nothing was changed yet."
        />
      </>
    ),
  };
}

function BrandingForm({ visit, state }: { visit: Visit; state: FormState }): JSX.Element {
  return (
    <div class="panel narrow">
      <Form visit={visit} action={BRANDING} state={state} takesFiles>
        <ContractFields contract={TENANT_SETTINGS} names={TEXTS} state={state} isNew={false} />
        {IMAGES.map((name) => (
          <ImageField name={name} state={state} />
        ))}
        <SelectField state={state} name="PreviewLanguage" label="Language of the preview" options={LANGUAGES} />
        <div class="buttons">
          <Submit label="Preview" kind="plain" name="preview" value="pages" />
          <Submit label="Preview mails" kind="plain" name="preview" value="mails" formtarget="_blank" />
          <Submit label="Save" />
          <ButtonLink href={visit.href("/settings")} label="Cancel" />
        </div>
      </Form>
    </div>
  );
}

const IMAGE = /^data:image\/(png|jpeg|webp);base64,[A-Za-z\d+/=]+$/;

/** The last value counts: the present image, a chosen file, or none. */
function ImageField({ name, state }: { name: string; state: FormState }): JSX.Element {
  const present = IMAGE.test(state.value(name)) ? state.value(name) : "";
  const problem = state.problem(name);
  const hint = `hint-${name}`;
  return (
    <div class="field">
      <label for={`field-${name}`} safe>
        {LABELS[name]!}
      </label>
      <p class="hint" id={hint}>
        PNG, JPEG or WebP of at most 256 KiB.
      </p>
      {problem !== undefined && (
        <p class="wrong" safe>
          {problem}
        </p>
      )}
      <Hidden name={name} value={present} />
      {present ? <img class="chosen-image" src={attribute(present)} alt={`Present: ${LABELS[name]}`} /> : ""}
      <input
        id={`field-${name}`}
        type="file"
        name={name}
        accept="image/png,image/jpeg,image/webp"
        aria-describedby={hint}
      />
      {present !== "" && (
        <div class="field boxes">
          <label>
            <input type="checkbox" name={name} value="" />
            <span safe>{`Remove: ${LABELS[name]}`}</span>
          </label>
        </div>
      )}
    </div>
  );
}

async function change(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  for (const name of IMAGES) visit.form.set(name, visit.form.getAll(name).at(-1) ?? "");
  try {
    const body = bodyOf(TENANT_SETTINGS, NAMES, visit.form);
    const input = TENANT_SETTINGS.parse(body);
    const caller = visit.permitted("Settings:Update");
    if (visit.form.has("preview")) {
      const drawn = await deps.ownTenant.drawn(caller, input);
      const images = Object.fromEntries(IMAGES.map((name) => [name, drawn.input[name] ?? ""]));
      const state = formOf({ ...Object.fromEntries(visit.form), ...images });
      const { face, sender } = drawn;
      const language = texts.LANGUAGE_CODES.find((code) => code === visit.form.get("PreviewLanguage")) ?? "en";
      if (visit.form.get("preview") === "mails") return mailsPage(deps.mails.draw(sender, language));
      const previews = await tenants.previewsOf(deps.site, face, texts.languageOf(language, sender.texts));
      return brandingPage(deps, visit, { state, previews });
    }
    await deps.ownTenant.change(caller, input, body);
    return visit.goTo(BRANDING, "Saved. Pages and mails have it at once.");
  } catch (error) {
    return brandingPage(deps, visit, { state: refusedForm(visit.form, error, NAMES, LABELS) });
  }
}

/** In frames without scripts and forms. */
function Previews({ previews }: { previews: tenants.PreviewedPage[] }): JSX.Element {
  return (
    <Section title="Preview">
      <p role="status">Nothing is saved yet.</p>
      <div class="previews">
        {previews.map(({ name, scheme, html }) => (
          <figure>
            <figcaption safe>{`${name}, ${scheme}`}</figcaption>
            <iframe sandbox="allow-same-origin" title={`${name}, ${scheme}`} srcdoc={attribute(html)}></iframe>
          </figure>
        ))}
      </div>
    </Section>
  );
}

function columns(visit: Visit, mayChange: boolean): Column<Version>[] {
  return [
    { name: "Version", cell: ({ Number: number }) => <span safe>{String(number)}</span> },
    { name: "Changed", cell: ({ Changed }) => <Text text={Changed.map((name) => LABELS[name] ?? name).join(", ")} /> },
    { name: "Saved", cell: ({ SavedOn }) => <Time at={SavedOn} /> },
    ...askColumn<Version>(visit, mayChange, "Restore", (version) => ({
      action: `${BRANDING}/restore`,
      about: `Version ${version.Number}`,
      question: askToRestore(version),
    })),
  ];
}

function askToRestore({ Number: number }: Version): Confirmation {
  return {
    title: `Restore version ${number}?`,
    above: [{ name: "Branding", path: BRANDING }],
    effects: ["Pages and mails have it at once.", "The present one is kept as a version."],
    confirm: `Restore version ${number}`,
    kind: "main",
    fields: { Number: String(number) },
    back: BRANDING,
  };
}
