import type { Children } from "@kitajs/html";
import type { TrialOutcome } from "../../identity/index.ts";
import { Badge, Code, Facts, Section, Text } from "../../ui/index.ts";
import { Source } from "../source.tsx";

export function Step({ title, children }: { title: string; children: Children }): JSX.Element {
  return (
    <Section title={title}>
      <div class="stack">{children as "safe"}</div>
    </Section>
  );
}

export function RequestStep({ parameters }: { parameters: URLSearchParams }): JSX.Element {
  return (
    <Step title="1. The authorization request">
      <p>The application sends the browser to the authorization endpoint with</p>
      <Facts facts={[...parameters].map(([name, value]) => [name, <Code text={value} />])} />
    </Step>
  );
}

export function AnswerStep({ issuer, given }: { issuer: string; given: URLSearchParams }): JSX.Element {
  const names = ["error", "error_description", "code", "iss"].filter((name) => given.get(name));
  return (
    <Step title="2. The response">
      <p>The browser returns to the redirect URI with</p>
      <Facts facts={names.map((name) => [name, <Code text={name === "code" ? "…" : given.get(name)!} />])} />
      <Checks
        checks={[
          { text: "state is that of the request", isRight: true },
          { text: `iss is ${issuer}`, isRight: given.get("iss") === issuer },
        ]}
      />
    </Step>
  );
}

interface OutcomeProps {
  clientId: string;
  redirectUri: string;
  outcome: TrialOutcome;
  hasSecret: boolean;
  /** Requested scopes that were not granted. */
  missing: string[];
}

export function Outcome({ clientId, redirectUri, outcome, hasSecret, missing }: OutcomeProps): JSX.Element {
  const { token, isAnothers, idToken, accessToken, userinfo } = outcome;
  const sent: [string, string][] = [
    ["grant_type", "authorization_code"],
    ["code", "…"],
    ["redirect_uri", redirectUri],
    ["code_verifier", "…"],
    ["client_id", clientId],
    ...(hasSecret ? [["client_secret", "…"] as [string, string]] : []),
  ];
  return (
    <>
      <Step title="3. The code for tokens">
        <p>The application sends to the token endpoint</p>
        <Facts facts={sent.map(([name, value]) => [name, <Code text={value} />])} />
        <p safe>{`and gets ${token.status}`}</p>
        <Json label="Answer of the token endpoint" value={token.body} />
      </Step>
      {missing.length > 0 && (
        <p class="warning" role="status" safe>
          {`Not granted: ${missing.join(", ")}. None of your roles grants it, or it belongs to a different API than requested.`}
        </p>
      )}
      {isAnothers && (
        <p class="problem" role="alert">
          A different user has signed in. Their tokens are revoked and not shown.
        </p>
      )}
      {idToken ? <Token title="4. The id_token: who signed in" token={idToken} /> : ""}
      {accessToken ? <Token title="5. The access token: what the API gets" token={accessToken} /> : ""}
      {!!userinfo && (
        <Step title="6. Userinfo">
          <p safe>{`With the access token, the userinfo endpoint answers ${userinfo.status}`}</p>
          <Json label="Answer of the userinfo endpoint" value={userinfo.body} />
        </Step>
      )}
    </>
  );
}

type ReadToken = NonNullable<TrialOutcome["idToken"]>;

function Token({ title, token: { header, claims, checks } }: { title: string; token: ReadToken }): JSX.Element {
  return (
    <Step title={title}>
      <Checks checks={checks} />
      <Json label={`Header of ${title}`} value={header} />
      <Json label={`Claims of ${title}`} value={claims} />
    </Step>
  );
}

function Checks({ checks }: Pick<ReadToken, "checks">): JSX.Element {
  return (
    <ul class="plain">
      {checks.map(({ text, isRight }) => (
        <li>
          <Badge state={isRight ? "right" : "wrong"} tone={isRight ? "good" : "bad"} /> <Text text={text} />
        </li>
      ))}
    </ul>
  );
}

function Json({ label, value }: { label: string; value: unknown }): JSX.Element {
  return <Source label={label} text={JSON.stringify(value, null, 2)} />;
}
