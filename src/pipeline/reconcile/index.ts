export {
  type Basis,
  type Certificate,
  certificate,
  type Difference,
  PROVISIONAL,
  result,
  type Tally,
  weight,
} from "./certificate/certificate.ts";
export { sourcesToCertify } from "./certificate/certificate-row.ts";
export { type CertifyDeps, runCertifyJob } from "./certificate/certify.ts";
export { calendarDay, readCalendar, readUnprovenDays, unprovenDaysFound } from "./certified-days.ts";
export { EARLIEST } from "./list/list-dates.ts";
export { certifyPeriod, reconciled, reconcilePeriod } from "./on-request.ts";
export {
  certificatePage,
  certifiedNames,
  issuedCertificateParts,
  listCertificates,
  listedCertificate,
  readCertificate,
  readCertificatePage,
} from "./read-certificates.ts";
export type { ReconcileSource } from "./reconcile-source.ts";
export {
  forgetListWork,
  listWorkNeedsReaping,
  readDailyCertificates,
  readSweeps,
  reapListWork,
  SWEPT_LIST,
  type SweptList,
} from "./runs.ts";
export type { SweepDeps } from "./sweep/run-sweep.ts";
export { runSweepJob } from "./sweep/sweep.ts";
export { sourcesToSweep } from "./sweep/sweep-row.ts";
