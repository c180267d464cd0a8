import type { UpstreamRow } from "../channel-type";
import { anthropicRows } from "./anthropic";
import { applicationRows } from "./applications";
import { baiduRows } from "./baidu";
import { cloudRows } from "./clouds";
import { googleRows } from "./google";
import { modelMakerRows } from "./model-makers";
import { openaiRows } from "./openai";
import { ownFormatRows } from "./own-formats";
import { resellerRows } from "./resellers";
import { selfHostedRows } from "./self-hosted";
import { taskRows } from "./tasks";
import { vectorRows } from "./vectors";
import { videoRows } from "./videos";
import { zhipuRows } from "./zhipu";

const known: readonly UpstreamRow[] = [
  ...openaiRows,
  ...anthropicRows,
  ...googleRows,
  ...modelMakerRows,
  ...cloudRows,
  ...baiduRows,
  ...zhipuRows,
  ...ownFormatRows,
  ...applicationRows,
  ...selfHostedRows,
  ...resellerRows,
  ...vectorRows,
  ...taskRows,
  ...videoRows,
];

/** Channel types by number (contract §6.1, §6.2). Stored channels may have a type without a row. */
export const rows: ReadonlyMap<number, UpstreamRow> = new Map(known.map((row) => [row.id, row]));
