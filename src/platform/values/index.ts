export { type IdRange, idRange, isUuid, NIL_UUID, newId, SOME_ID, UUID } from "./ids.ts";
export { endOfString, indentedJson, isTooIntricate, jsonIn } from "./json.ts";
export {
  firstWords,
  type Mask,
  maskOf,
  personalMaskOf,
  quietText,
  withoutCallbackTokens,
  withoutEMailAddresses,
  withTextsMasked,
} from "./mask.ts";
export { ERASED_COLUMNS, ERASED_IN_EVENT, PERSONAL_FIELDS } from "./personal-fields.ts";
export { mayAct, ROLES, type Role } from "./role.ts";
export { Secret } from "./secret.ts";
export {
  AMOUNT,
  amountIn,
  CSV_FORM,
  cellText,
  countText,
  decodedPath,
  markupText,
  money,
  moneyIn,
  numberOf,
  plainText,
  sentence,
  shortText,
  storableText,
} from "./text.ts";
export {
  addDays,
  type BookPeriod,
  bookDay,
  bookDayOf,
  bookDaysOf,
  bookPeriod,
  bookTimeOf,
  clock,
  DAY_MS,
  dayOf,
  daysBetween,
  dayThatExists,
  HOUR_MS,
  lastBookDay,
  latestBookDay,
  spanText,
  startOf,
  startOfBookDay,
} from "./time.ts";
