import { recipes, testRecipe } from './recipes-fixture.ts'

for (const [index, recipe] of recipes.entries()) if (index % 2 === 1) testRecipe(recipe)
