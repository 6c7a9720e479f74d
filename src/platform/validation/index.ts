export { answeredId, decimal, time, whole } from "./answer-fields.ts";
export { likelyName, ownWords, pathOf, problemsOf, readAs } from "./problems.ts";
