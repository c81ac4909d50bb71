// Run as a child: downloads the Temporal server into the directory given as the first argument, by the SDK's own
// cached-download. The SDK has no download without a start, so the server is started once and stopped again.

import { TestWorkflowEnvironment } from "@temporalio/testing";

const [downloadDir] = process.argv.slice(2);
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: "cached-download", downloadDir, ttl: "365 days" } },
});
await environment.teardown();
process.exit(0);
