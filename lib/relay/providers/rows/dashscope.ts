import { isNativeOnly, readModelName } from "../../wire/dialects/dashscope/models";
import type { Behaviour, RequestFix, UrlParts } from "../channel-type";
import { forcedCallsAt } from "../fixes/forced-calls";
import { inTurn } from "../fixes/message-fixes";
import { qwenPrefill } from "../fixes/prefills";
import { clampTopP } from "../fixes/request-fixes";
import { thinkingAt } from "../fixes/thinking-fix";
import { openaiModels } from "../model-lists";
import { ChannelSetupError } from "../setup-error";
import { withoutVersion } from "../urls";

const COMPATIBLE = "/compatible-mode/v1";
const NATIVE = /\/api\/v1\/?$/;
const EITHER = /\/(?:api|compatible-mode)\/v1\/?$/;

/** The base URL may already end in the path of one of the two APIs. */
function dashscopeUrl({ baseUrl, path, query }: UrlParts): string {
  const root = baseUrl.replace(EITHER, "");
  return path.startsWith("/api/") ? `${root}${path}` : `${root}${COMPATIBLE}${withoutVersion(path)}${query}`;
}

/** OpenAI's format, unless only the native API has the model or the base URL is that of the native API. */
function dashscopeDialect(model: string, baseUrl: string): string {
  return isNativeOnly(readModelName(model).model) || NATIVE.test(baseUrl) ? "dashscope" : "openai-chat";
}

/** For OpenAI's format: top_p within bounds, and a search where the model's name asks for it. */
const compatible: RequestFix = (json, model, options) => {
  if (json.messages === undefined) return {};
  const { model: name, searches } = readModelName(model);
  const search = searches ? { model: name, enable_search: true } : {};
  return { ...clampTopP(0.001, 0.999)(json, model, options), ...search };
};

/** The extra field is the setting of plug-ins. */
function dashscopeHeaders(other: string, isStream: boolean): readonly string[] {
  const plugin = other.trim();
  if (!/^[\x20-\x7e]*$/.test(plugin)) {
    throw new ChannelSetupError("the plug-in setting can be sent only in ASCII, on one line", "get_channel_failed");
  }
  return [...(isStream ? ["x-dashscope-sse", "enable"] : []), ...(plugin === "" ? [] : ["x-dashscope-plugin", plugin])];
}

export const dashscope: Behaviour = {
  dialect: dashscopeDialect,
  url: dashscopeUrl,
  quirks: {
    reportsStreamUsage: true,
    headersFor: dashscopeHeaders,
    fix: inTurn(compatible, thinkingAt("dashscope"), forcedCallsAt("dashscope")),
    prefill: qwenPrefill,
  },
  modelList: openaiModels(`${COMPATIBLE}/models`),
};
