import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function ChannelLayout({ children }: { children: ReactNode }) {
  return (
    <Texts of={["channel", "channelEditor", "channelTraffic", "limit", "operation", "timeLimit", "paging"]}>
      {children}
    </Texts>
  );
}
