/** Preact's elements from templates: the one place that knows which library draws. */
import { h, render, Fragment } from "preact";
import htm from "htm";

export const html = htm.bind(h);
export { render, Fragment };
export { useEffect, useLayoutEffect, useMemo, useRef, useState, useCallback } from "preact/hooks";
