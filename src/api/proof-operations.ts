import { z } from "zod";
import { RelayError } from "../kit/errors.ts";
import { DAY_MS } from "../kit/time.ts";
import { readCalendar } from "../reconcile/last-runs.ts";
import {
  certificateCsvParts,
  listCertificates,
  readCertificatePage,
} from "../reconcile/read-certificates.ts";
import { listFirstServed } from "../upstreams/source-row.ts";
import { type Operation, operation } from "./operation.ts";
import * as schemas from "./proof-schemas.ts";
import { anything, certifyRequest, idInPath, reconcileRequest } from "./schemas.ts";

const TAG = "Proof";
const MOST_DAYS = 400;

export const proofOperations: readonly Operation[] = [
  operation({
    id: "listCertificates",
    method: "get",
    path: "/certificates",
    tag: TAG,
    summary: "List certificates, newest first",
    query: schemas.certificateQuery,
    result: schemas.certificateList,
    run: async ({ db }, { query: { limit, ...filters } }) => ({
      certificates: await listCertificates(db, filters, limit),
    }),
  }),
  operation({
    id: "readCalendar",
    method: "get",
    path: "/certificates/calendar",
    tag: TAG,
    summary: "Day by day, from the newest certificate that covers it: equal, or what is missing",
    query: schemas.calendarQuery,
    result: schemas.calendar,
    async run({ db, settings }, { query: { source, ...query } }) {
      const days = (Date.parse(query.to) - Date.parse(query.from)) / DAY_MS;
      if (days < 0 || days > MOST_DAYS)
        throw new RelayError(`\`to\` should be at most ${MOST_DAYS} days after \`from\`.`);
      return {
        days: await readCalendar(db, {
          ...query,
          sources: settings(false).sources.filter(({ name }) => source === undefined || name === source),
        }),
        firstServed: await listFirstServed(db),
      };
    },
  }),
  operation({
    id: "showCertificate",
    method: "get",
    path: "/certificates/{id}",
    tag: TAG,
    summary: "Show one, with its differences by name, page by page",
    pathParameters: idInPath,
    query: schemas.certificateShownQuery,
    result: schemas.certificateShown,
    run: ({ db }, { path: { id }, query }) => readCertificatePage(db, id, query),
  }),
  operation({
    id: "exportCertificate",
    method: "get",
    path: "/certificates/{id}/csv",
    tag: TAG,
    summary: "Show one as a CSV table for finance: days, total, differences (RFC 4180)",
    pathParameters: idInPath,
    mediaType: "text/csv",
    result: z.string(),
    run: ({ db }, { path: { id } }) => certificateCsvParts(db, id),
  }),
  operation({
    id: "certify",
    method: "post",
    path: "/certify",
    tag: TAG,
    summary: "Compare what is paid at the provider with what was stored and published",
    body: certifyRequest,
    result: anything,
    tellsProgress: true,
    run: ({ certify, onProgress }, { body }) => certify(body, onProgress),
  }),
  operation({
    id: "reconcile",
    method: "post",
    path: "/reconcile",
    tag: TAG,
    summary: "Read the provider's lists now for what callbacks missed",
    body: reconcileRequest,
    result: anything,
    tellsProgress: true,
    run: ({ reconcile, actor, onProgress }, { body }) => reconcile(body, actor, onProgress),
  }),
];
