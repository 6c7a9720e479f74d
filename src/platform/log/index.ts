export {
  createLogger,
  isTraceparent,
  type Logger,
  type Span,
  type SpanStart,
  type Tracer,
} from "./log.ts";
