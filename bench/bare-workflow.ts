import { proxyActivities } from "@temporalio/workflow";

export interface BareInput {
  urls: string[];
  body: string;
}

const { post } = proxyActivities<{ post(url: string, body: string): Promise<void> }>({
  startToCloseTimeout: "10s",
  retry: { maximumAttempts: 3 },
});

export async function bare({ urls, body }: BareInput): Promise<void> {
  await Promise.all(urls.map((url) => post(url, body)));
}
