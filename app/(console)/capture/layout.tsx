import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function CaptureLayout({ children }: { children: ReactNode }) {
  return <Texts of={["capture", "paging"]}>{children}</Texts>;
}
