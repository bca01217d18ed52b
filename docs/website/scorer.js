/* Weights of Sphinx's search: the names of classes and functions first, then titles of pages, then their texts. */
var Scorer = {
  objNameMatch: 100,
  objPartialMatch: 30,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 60,
  partialTitle: 20,
  term: 5,
  partialTerm: 1,
};
