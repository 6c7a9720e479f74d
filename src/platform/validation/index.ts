export { answeredId, decimal, openApiParameters, time, whole } from "./fields.ts";
export { likelyName, ownWords, pathOf, problemsOf, readAs } from "./problems.ts";
