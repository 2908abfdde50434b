/**
 * Prints one of the sheets of a page, or has the browser save it as PDF; the style sheet leaves out all else. The title of
 * the window is the file's name.
 */
export function printOnly(sheet: 'label' | 'receipt', name: string) {
  const { title, documentElement } = document;
  documentElement.dataset.print = sheet;
  document.title = name;
  addEventListener(
    'afterprint',
    () => {
      delete documentElement.dataset.print;
      document.title = title;
    },
    { once: true },
  );
  print();
}
