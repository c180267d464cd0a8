export * from "./billing";
export * from "./channels";
export * from "./commerce";
export * from "./logs";
export * from "./media";
export * from "./options";
export * from "./tokens";
export * from "./users";
