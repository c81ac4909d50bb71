// "Download my data": all data about the person, after the proofs that other sensitive actions need.

import { exportResponse } from "../../../platform/http/export.ts";
import type { Guarded } from "./guarded.tsx";

export const DATA: Guarded = {
  action: "/account/data",
  heading: "Download your data",
  lead: "You get a zip archive with all data about you, as JSON. Passwords and other secrets are not in it.",
  button: "Download my data",
  async act(deps, { request, session }) {
    const isStill = async () => {
      const now = await deps.sessions.findStarted(request);
      return now?.id === session.id && !now.isUnfinished;
    };
    return exportResponse(await deps.exportOwn(request, session, isStill));
  },
};
