/** Customers' short questions in English, one per line. Every second line is held out. */
export const english = `
Are you open tomorrow?
What is the rate for two people?
Can I pay by card?
How far is it from the station?
Do you take old batteries back?
Is there parking for a bus?
When will my order be ready?
Who do I ask for at the counter?
Is Sunday a holiday?
What does the small one cost?
Any discount for students?
Can you send someone today?
Do I have to book?
Which one lasts longer?
How much for a dozen?
Is the pool heated?
Where do I park my bike?
Can I bring my dog?
Till what time are you there?
What if it rains?
Do you repair phones too?
How many seats are left?
Is breakfast included?
Could you call me back in the evening?
How soon can you come?
Is the lift working?
What papers do I need for admission?
Do you deliver to Baner?
What time does the last show end?
Can my son join the beginners batch?
How old must a child be?
What is your address please
Is GST extra on that?
Do you sell gift vouchers?
Can I change the date later?
Are weekends costlier?
Do you have it in blue?
May I speak to the manager?
Is it safe for babies?
How do I cancel?
What is the difference between the two plans?
And for three months?
Total for both?
Which of them is cheaper?
Cheapest room please
I want a refund
Send me the price list
Is the doctor in today
Hall for 200 guests, how much?
The second one, please
Anything under five hundred rupees?
Do you work on public holidays?
My cylinder has not come yet
What is the minimum order?
Can I get a bill with GST number?
What all is covered by the warranty?
Does it come with a charger?
Am I too late for today?
Is there a fee for late return?
How heavy is it?
Do you do home visits?
Can we see the hall before booking?
Is the water filtered?
How long does a haircut take?
What is on the menu today?
Please confirm my booking
Two plates of idli and a coffee, how much?
Are you near the bus stand?
Do I need an appointment?
Has my parcel reached?
Do you have a branch in Nashik?
How many days for delivery?
Why is it so expensive?
Is there a trial class?
Can I come at nine?
Would Friday be fine?
Do ladies have a separate batch?
Are pets allowed in the rooms?
How is the road to the fort?
Whom do I contact for a complaint?
Which oil is good for frying?
Was my payment received?
Do you accept UPI?
Is the museum shut on Mondays?
Let me know the charges
Could I pay half now?
How big is the largest tank?
What happens if I miss a class?
Is there a cheaper one?
Do you rent by the hour?
What about Saturday?
Should I bring my own towel?
Will someone be there at 7?
Has the price gone up?
Have you got size 9?
Does the fee include books?
How much is the ka brand soap?
Where is the main gate?
Do se and main sizes cost the same?
What is the email id?
Is Mr Joshi there?
Kids below five free?
Price of one kg mithai?
Paneer roll and chai together?
Is the dosa made in ghee?
Do you stitch a blouse in two days?
How much for a saree fall?
Can we book the mandap for ten days?
Is the Aundh shop bigger?
Is idli available at night?
Does the thali have dal?
What is in the Gujarati thali?
Do you have kurtas for men?
Any puja items?
Is poha ready?
How much is a kilo of barfi?
One plate pav bhaji and two lassi please
Do you sell khadi cloth by the metre?
How much is one sari dry clean?
Ganesh idol of two feet, price?
What is the char dham package?
Do you have the book on tal and raga?
Open?
Price?
How much?
Home delivery?
Still available?
Warranty?
Is it available in Pune?
Timings on Sunday?
Wifi?
Free parking?
Same day service?
Bulk order discount?
Cash only?
Closed today?
Return policy?
Any vacancy?
Do you open early?
Full fees or half?
Where are you?
One ticket, please
What about kids?
Both together how much?
Do I get a receipt?
And on Sunday?
How about the bigger one?
The difference?
Then what is the cost for 5 km?
Can it be done by noon?
For how many persons is it?
Is he there on Fridays?
How about tomorrow at 4?
`;
