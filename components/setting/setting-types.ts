import type { OptionVersion } from "@/lib/option/types";
import type * as actions from "./actions";

/** `stored`: what is saved now, also where it is somebody else's and the change was refused; null where that is not known. */
export type SaveResult = { key: string; message: string | null; stored: string | null };
export type History = { items: OptionVersion[]; next: number | null };

/** `message` is null when the server accepted the mail; `answer` is what it said. */
export type TestMailResult = { to: string; answer: string; message: string | null };

export type SettingActions = Pick<
  typeof actions,
  "saveOptions" | "loadHistory" | "revertOption" | "countLogs" | "clearLogs" | "sendTestMail"
>;
