import { attribute } from "./attribute.ts";
import { Layout } from "./layout.tsx";
import type { Site } from "./site.ts";

export interface FormPostProps {
  site: Site;
  action: string;
  fields: [name: string, value: string][];
}

/** OAuth 2.0 Form Post Response Mode; the script submits it, and without script the button does. */
export function FormPostPage({ site, action, fields }: FormPostProps): JSX.Element {
  return (
    <Layout site={site} title="Continue" script="submit.js">
      <h1>One moment</h1>
      <p>You are going back to the application.</p>
      <form method="post" action={attribute(action)}>
        {fields.map(([name, value]) => (
          <input type="hidden" name={attribute(name)} value={attribute(value)} />
        ))}
        <button type="submit">Continue</button>
      </form>
    </Layout>
  );
}
