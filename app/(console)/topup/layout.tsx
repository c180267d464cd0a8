import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function TopUpLayout({ children }: { children: ReactNode }) {
  return <Texts of={["paging", "statement", "topup"]}>{children}</Texts>;
}
