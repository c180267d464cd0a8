import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function ChannelDetailLayout({ children }: { children: ReactNode }) {
  return <Texts of={["audit.actions", "audit.change"]}>{children}</Texts>;
}
