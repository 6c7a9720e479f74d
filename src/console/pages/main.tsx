import { render } from "preact";
import { readSession } from "./api/session.ts";
import { App } from "./app.tsx";
import { startTheme } from "./kit/theme.ts";
import { startZone } from "./kit/zone.ts";

startTheme();
startZone();
void readSession();
const place = document.getElementById("app");
if (place !== null) render(<App />, place);
