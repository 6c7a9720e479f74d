import { findCallbacks } from "../operate/find-callbacks.ts";
import { showCallback } from "../operate/show-callback.ts";
import * as schemas from "./callback-schemas.ts";
import { pageFrom } from "./cursor.ts";
import { type Operation, operation } from "./operation.ts";
import { idInPath } from "./schemas.ts";

const TAG = "Callbacks";

export const callbackOperations: readonly Operation[] = [
  operation({
    id: "listCallbacks",
    method: "get",
    path: "/callbacks",
    tag: TAG,
    summary: "List recorded callbacks, newest first, with filters",
    query: schemas.callbackQuery,
    result: schemas.callbackPage,
    run: async ({ db }, { query: { cursor: from = null, limit, ...filters } }) =>
      pageFrom(await findCallbacks(db, filters, { from, limit })),
  }),
  operation({
    id: "showCallback",
    method: "get",
    path: "/callbacks/{id}",
    tag: TAG,
    summary: "Show one whole callback and how each id was found; includes personal data",
    pathParameters: idInPath,
    result: schemas.callbackShown,
    run: ({ db, decode, mask }, { path: { id } }) => showCallback(db, id, { decode, mask }),
  }),
];
