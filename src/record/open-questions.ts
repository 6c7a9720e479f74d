export { openConfirmations as openQuestions } from "../confirmations/open.ts";
