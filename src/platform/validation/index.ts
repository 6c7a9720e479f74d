export {
  answeredId,
  decimal,
  openApiParameters,
  ownWords,
  pathOf,
  problemsOf,
  readAs,
  time,
  whole,
} from "./fields.ts";
