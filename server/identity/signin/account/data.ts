// "Download my data": all data about the person, after the proofs that other sensitive actions need.

import { exportResponse } from "../../../platform/http/export.ts";
import type { Guarded } from "./guarded.tsx";

export const DATA: Guarded = {
  action: "/account/data",
  words: ({ downloadTitle: heading, downloadLead: lead, downloadData: button }) => ({ heading, lead, button }),
  async act(deps, { request, session }) {
    const isStill = async () => {
      const now = await deps.sessions.findStarted(request);
      return now?.id === session.id && !now.isUnfinished;
    };
    return exportResponse(await deps.exportOwn(request, session, isStill));
  },
};
