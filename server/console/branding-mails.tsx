// The mails in a face that need not be saved: a page of its own, because mails have inline styles.

import type { mail } from "../identity/index.ts";
import { attribute, pageResponse } from "../ui/index.ts";
import { KINDS } from "./mail.tsx";

/** Nothing is loaded, sent or run, here and in the frames. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

const STYLES = `
body{margin:1.5rem;font-family:system-ui,sans-serif;background:#f3f5f8;color:#1c2430}
section{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr));gap:1rem;margin-bottom:2rem}
h2,p{grid-column:1/-1;margin:0}h2{font-size:1.1rem}p{overflow-wrap:anywhere}
iframe{width:100%;height:30rem;border:1px solid #c4cad4;border-radius:8px}`;

export function mailsPage(mails: mail.DrawnMail[]): Promise<Response> {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Preview of mails · Gatehouse</title>
        <style>{STYLES as "safe"}</style>
      </head>
      <body>
        <main>
          <h1>Preview of mails</h1>
          {[...Map.groupBy(mails, ({ kind }) => kind)].map(([kind, drawn]) => (
            <section>
              <h2 safe>{KINDS[kind]}</h2>
              <p safe>{drawn[0]!.subject}</p>
              {drawn.map(({ scheme, html }) => (
                <iframe
                  sandbox=""
                  title={attribute(`${KINDS[kind]}, ${scheme}`)}
                  srcdoc={attribute(`<!doctype html>${html}`)}
                ></iframe>
              ))}
            </section>
          ))}
        </main>
      </body>
    </html>
  );
  return pageResponse(page, { headers: { "content-security-policy": POLICY } });
}
