export {
  answeredId,
  decimal,
  likelyName,
  openApiParameters,
  ownWords,
  pathOf,
  problemsOf,
  readAs,
  time,
  whole,
} from "./fields.ts";
