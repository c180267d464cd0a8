import { headers } from "next/headers";
import { cache } from "react";
import { getContext } from "@/lib/auth/session";
import { displayOf } from "@/lib/money/display";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";
import { publicAddressOf } from "@/lib/request/public-address";

/** The options that pages need, read once per request. */
export const getSite = cache(async () => {
  const options = await loadOptions((await getContext()).db);
  return {
    systemName: options.SystemName || "Weir",
    serverAddress: publicAddressOf(options.ServerAddress, await headers()),
    collapseSidebar: options.DefaultCollapseSidebar,
    logo: options.Logo,
    footer: options.Footer,
    docsLink: options["general_setting.docs_link"],
    mode: modeOf(options),
    canRegister: options.RegisterEnabled && !options.SelfUseModeEnabled,
    /** Pages that exist only while their option is on. */
    flags: {
      dashboard: options.DataExportEnabled,
      drawing: options.DrawingEnabled,
      task: options.TaskEnabled,
      capture: options.CaptureEnabled,
    },
    statusPage: options.StatusPageEnabled,
    drawingCallbacks: options.MjNotifyEnabled,
    chats: options.Chats.flatMap((entry) => Object.keys(entry)),
    quotaDisplay: displayOf(options),
  };
});

/** The mode badge in the header. */
function modeOf(options: OptionValues): "demoMode" | "selfUseMode" | null {
  if (options.DemoSiteEnabled) return "demoMode";
  return options.SelfUseModeEnabled ? "selfUseMode" : null;
}
